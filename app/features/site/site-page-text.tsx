import { bookWords, useSite } from "./page-site";

/** The text of a page of the author's. */
export function SitePageText({ title, html }: { title: string; html: string }) {
  return (
    <article className="frame issue" {...bookWords(useSite())}>
      <h1 className="page-heading">{title}</h1>
      <div
        className="markdown-text mt-8"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized when the page was rendered.
        dangerouslySetInnerHTML={{ __html: html }}
      />
    </article>
  );
}
