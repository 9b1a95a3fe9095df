import { findDocumentHtml } from "~db/queries/editions";
import type { Edition } from "./edition";
import { labelAbove } from "./entry-label";
import { paragraphsOf } from "./stored-html";

/** The opening of a chapter: its title, what is above it, and its first paragraphs, as plain text. */
export type Opening = { label: string | null; title: string; paragraphs: string[] };

/** Paragraphs in the opening; at most half of a chapter that only members may read in full. */
const PARAGRAPHS = 5;

/**
 * Loads the opening of the first chapter for anyone: up to five paragraphs before the first heading. Null if it is not
 * published at `now`, or is too short.
 */
export async function loadOpening(edition: Edition, now: Date): Promise<Opening | null> {
  const first = edition.chapters(now).find(({ position }) => position === 1);
  if (!first) return null;
  const html = (await findDocumentHtml(edition.digest, first.slug)) ?? "";
  const [beginning = ""] = html.split(/<h[2-6]\b/, 1);
  const most = first.isPublic ? PARAGRAPHS : Math.floor(paragraphsOf(html).length / 2);
  const paragraphs = paragraphsOf(beginning)
    .filter((text) => text !== "")
    .slice(0, Math.min(PARAGRAPHS, most));
  if (paragraphs.length === 0) return null;
  return { label: labelAbove(first), title: first.title, paragraphs };
}
