/** The markup that this browser has shown last in each place, so that it need not be loaded or replaced again. */
const shown = new Map<string, { key: string; html: string }>();

type StaticSectionProps = {
  /** The id of the element, in which a hydrating browser finds the markup. */
  id: string;
  /** Identifies the markup. */
  markupKey: string;
  /** Markup to trust; undefined in a browser that hydrates a page which holds it already. */
  html: string | undefined;
  className?: string;
};

/**
 * Server-rendered markup that never changes in the browser, so that no script contains its text or components. It is
 * left out of a document's data (`withRenderedOnly`), and hydration keeps the existing markup. A client-side navigation
 * gets it with its data.
 */
export function StaticSection({ id, markupKey, html, className }: StaticSectionProps) {
  return (
    <div
      id={id}
      className={className}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered or sanitized by the server.
      dangerouslySetInnerHTML={{ __html: markupOf(id, markupKey, html) }}
    />
  );
}

/** The same string for the same markup each time, so that React leaves its elements alone. */
function markupOf(id: string, key: string, html: string | undefined): string {
  if (typeof document === "undefined") return html ?? "";
  const last = shown.get(id);
  if (last?.key === key) return last.html;
  const found = { key, html: html ?? document.getElementById(id)?.innerHTML ?? "" };
  shown.set(id, found);
  return found.html;
}
