import { randomUUID } from "node:crypto";
import { findStoredTexts } from "~db/queries/editions";
import { findHighlight } from "~db/queries/highlights";
import { isUuid } from "~db/uuid";
import type { Edition } from "../edition";
import { labeledTitle } from "../entry-label";
import { documentPath, HIGHLIGHTS_PATH } from "../library-paths";
import type { HighlightView } from "./highlight";
import type { NewHighlight } from "./highlight-form";
import { viewOf } from "./highlights-in-text.server";
import { sentencesOf } from "./sentences";

/** Loads what the page of a new highlight shows; null if there is no such text or block. */
export async function loadNewHighlight(
  edition: Edition,
  { slug, block }: { slug: string; block: number },
): Promise<NewHighlight | null> {
  const entry = edition.find(slug, new Date());
  if (!entry || !Number.isInteger(block) || block < 1 || block > entry.blockCount) return null;
  const [text] = await findStoredTexts(edition.digest, [entry.slug]);
  if (!text) return null;
  return {
    id: randomUUID(),
    slug: entry.slug,
    renderKey: text.renderKey,
    title: labeledTitle(entry),
    path: documentPath(entry),
    block,
    blockCount: entry.blockCount,
    sentences: sentencesOf(text.html, block, entry.language),
  };
}

/** Loads a member's highlight, and where its text is; null if they have none with this id. */
export async function loadHighlight(
  userId: string,
  { id, edition }: { id: string; edition: Edition },
): Promise<{ highlight: HighlightView; text: { title: string; path: string } } | null> {
  const found = isUuid(id) ? await findHighlight(userId, id) : null;
  if (!found) return null;
  const entry = edition.find(found.slug, new Date());
  const text = entry
    ? { title: labeledTitle(entry), path: documentPath(entry) }
    : { title: "All highlights", path: HIGHLIGHTS_PATH };
  return { highlight: viewOf(found), text };
}
