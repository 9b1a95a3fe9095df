import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "~/env.server";
import { unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { markdownTree } from "~/features/markdown/markdown-tree.server";
import { type IssueContent, renderIssueMail } from "./issue-mail.server";
import { IMAGES_PATH } from "./newsletter-paths";
import type { Issue } from "./read-issue.server";

/** Size at which to warn, in bytes. Gmail cuts a mail off at 102 KB of HTML, and with it the unsubscribe link. */
const LARGE_HTML_BYTES = 90 * 1024;

/** The preview's files, the HTML's size, and warnings for the author. */
export type IssuePreview = { files: string[]; htmlBytes: number; warnings: string[] };

/**
 * Writes an issue's mail as HTML and text, with its images, to its own folder, which is replaced. Needs no database
 * and sends nothing. The unsubscribe link opens the site's page with a token that belongs to no subscriber.
 */
export async function writePreview(issue: Issue, folder: string): Promise<IssuePreview> {
  // images of an earlier preview have other names
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { html, text } = await renderIssueMail(
    contentOf(issue, (name) => name),
    unsubscribeUrl("preview"),
  );
  const contents = [
    { name: "mail.html", content: html },
    { name: "mail.txt", content: text },
    ...issue.images,
  ];
  for (const { name, content } of contents) await writeFile(join(folder, name), content);
  return {
    files: ["mail.html", "mail.txt"].map((name) => join(folder, name)),
    ...weighIssue(issue, html),
  };
}

/** Returns an issue's HTML size and warnings for the author. */
export function weighIssue(issue: Issue, html: string): { htmlBytes: number; warnings: string[] } {
  const htmlBytes = Buffer.byteLength(html);
  const warnings = [...issue.warnings];
  if (htmlBytes > LARGE_HTML_BYTES) {
    warnings.push(
      `The mail has ${Math.round(htmlBytes / 1024)} KB of HTML; Gmail cuts mails off at 102 KB.`,
    );
  }
  return { htmlBytes, warnings };
}

/** Returns the address at which the site serves an issue's image. */
export const servedImage = (name: string) => env().PUBLIC_URL + IMAGES_PATH + name;

/** Converts an issue read from a file to mail content. `imageAddress` returns an image's URL. */
export function contentOf(issue: Issue, imageAddress: (name: string) => string): IssueContent {
  const images = new Map(
    issue.images.map(({ name, width, height }) => [
      IMAGES_PATH + name,
      { src: imageAddress(name), width, height },
    ]),
  );
  return {
    slug: issue.slug,
    subject: issue.subject,
    previewText: issue.preview,
    text: markdownTree(issue.markdown, {
      base: env().PUBLIC_URL,
      imageAt: (address) => images.get(address),
    }),
  };
}

/** Describes an issue's size in words. */
export function describeSize({ images }: Issue, htmlBytes: number): string {
  const size = `${Math.ceil(htmlBytes / 1024)} KB`;
  if (images.length === 0) return size;
  const bytes = images.reduce((sum, { content }) => sum + content.byteLength, 0);
  return `${size}, and ${images.length === 1 ? "an image" : `${images.length} images`} of ${Math.ceil(bytes / 1024)} KB`;
}
