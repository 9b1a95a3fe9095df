import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { MarkdownComponents } from "./markdown-content";

export type IssueTemplateProps = {
  subject: string;
  preview: string;
  content: ReactNode;
  notes: ReactNode;
  list: { unsubscribeUrl: string; postalAddress: string | null };
};

export const ISSUE_PROSE: MarkdownComponents = {};

/** An issue as mail, in HTML and as plain text, each with the address to unsubscribe. */
export async function renderIssueTemplate({
  subject,
  preview,
  content,
  notes,
  list,
}: IssueTemplateProps): Promise<{ html: string; text: string }> {
  const markup = renderToStaticMarkup(
    <html lang="en">
      <head>
        <title>{subject}</title>
        <meta name="description" content={preview} />
      </head>
      <body>
        <h1>{subject}</h1>
        {content}
        {notes}
        <p>
          <a href={list.unsubscribeUrl}>Unsubscribe</a> {list.postalAddress}
        </p>
      </body>
    </html>,
  );
  const text = markup
    .replace(/<head>.*<\/head>/s, "")
    .replace(/<a href="([^"]*)">(.*?)<\/a>/g, "$2:\n$1\n")
    .replace(/<[^>]*>/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  return { html: `<!doctype html>${markup}`, text };
}
