import { findDocumentHtml } from "~db/queries/editions";
import type { Edition } from "./edition";
import { RecentTexts } from "./recent-texts";

/** Most characters of an edition's HTML in memory, of two bytes each: some fifty long chapters. */
const MAX_CHARACTERS = 2_000_000;

const texts = new WeakMap<Edition, RecentTexts>();

/**
 * The HTML of a chapter or extra; null if the edition has none with this slug. Those that were read last are kept in
 * memory: an edition never changes, and the rest of a chapter's page is a few hundred bytes of its member's own.
 */
export async function documentHtml(edition: Edition, slug: string): Promise<string | null> {
  let recent = texts.get(edition);
  if (!recent) {
    recent = new RecentTexts(MAX_CHARACTERS);
    texts.set(edition, recent);
  }
  const kept = recent.get(slug);
  if (kept !== undefined) return kept;
  const html = await findDocumentHtml(edition.digest, slug);
  if (html !== null) recent.set(slug, html);
  return html;
}
