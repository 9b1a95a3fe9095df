/** The id of the element that holds a text. */
const TEXT_ID = "text";

/** The texts that this browser has shown last, so that one which is shown again need not be loaded again. */
let lastText: { key: string; html: string } | undefined;

type DocumentTextProps = {
  /** Identifies the text. */
  textKey: string;
  /** Sanitised HTML; undefined in a browser that hydrates a page which holds it already. */
  html: string | undefined;
};

/**
 * The text of a chapter or extra. The server renders it and leaves it out of the page's data
 * (`withRenderedOnly`), so that no page holds it twice; hydrating, the browser keeps what it finds.
 */
export function DocumentText({ textKey, html }: DocumentTextProps) {
  return (
    <div
      id={TEXT_ID}
      className="book-text markdown-text reading-text"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised when the edition was imported.
      dangerouslySetInnerHTML={{ __html: textOf(textKey, html) }}
    />
  );
}

/** The same string for the same text each time, so that React leaves its elements alone. */
function textOf(key: string, html: string | undefined): string {
  if (typeof document === "undefined") return html ?? "";
  if (lastText?.key !== key) {
    lastText = { key, html: html ?? document.getElementById(TEXT_ID)?.innerHTML ?? "" };
  }
  return lastText.html;
}
