import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { findStoredTexts } from "~db/queries/editions";
import {
  countHighlights,
  deleteHighlight,
  findHighlight,
  insertHighlight,
  listHighlights,
  updateHighlight,
} from "~db/queries/highlights";
import type { Range } from "~db/search-text";
import type { Edition } from "../edition";
import { documentPath, HIGHLIGHTS_PATH, passageId } from "../library-paths";
import { passageAt } from "./find-passage";
import { MAX_PASSAGE_NOTE_LENGTH, MAX_QUOTE_LENGTH } from "./highlight";
import { searchedText } from "./highlights-in-text.server";
import { passageText } from "./passage-text";

/** Maximum number of a member's highlights. */
const MAX_HIGHLIGHTS = 10_000;

const id = z.uuid();
const color = z.coerce.number().int().min(1).max(4);

const note = z
  .string()
  .transform((text) => Buffer.from(text.replaceAll("\0", ""), "utf8").toString("utf8"))
  .transform((text) => text.replace(/\r\n?/g, "\n").trim())
  .pipe(z.string().max(MAX_PASSAGE_NOTE_LENGTH))
  .default("");

/** Positions of a beginning and an end, such as `120-164`, of one or several passages. */
const ranges = z
  .union([z.string(), z.array(z.string())])
  .transform((texts) => [texts].flat())
  .pipe(z.array(z.string().regex(/^\d{1,8}-\d{1,8}$/)).min(1));

const postedSchema = z.discriminatedUnion("intent", [
  z.object({
    intent: z.literal("add"),
    // sent by forms, so that a button pressed twice adds one
    id: id.default(() => randomUUID()),
    slug: z.string(),
    renderKey: z.string(),
    passage: ranges,
    color,
    note,
  }),
  z.object({ intent: z.literal("change"), id, color, note }),
  z.object({ intent: z.literal("delete"), id }),
]);

export type SaveHighlightOutcome =
  /** `path` leads to the passage, or to its text if it was deleted. */
  | { kind: "added" | "changed" | "deleted"; id: string; path: string }
  /** Fields are missing or malformed, or the passage has no words. */
  | { kind: "invalid" }
  /** The text has changed since the page was loaded, or is no longer published. */
  | { kind: "changed-text" }
  | { kind: "too-long" | "too-many" | "unknown" | "failed" };

/** Adds, changes or deletes a member's highlight, by the fields of a form or of a page's JSON. Never throws. */
export async function saveHighlight(
  { userId, edition }: { userId: string; edition: Edition },
  fields: Record<string, FieldValue>,
): Promise<SaveHighlightOutcome> {
  const { data: posted } = postedSchema.safeParse(fields);
  if (!posted) return { kind: "invalid" };
  try {
    if (posted.intent === "add") return await addHighlight({ userId, edition }, posted);
    const found = await findHighlight(userId, posted.id);
    if (!found) return { kind: "unknown" };
    const entry = edition.find(found.slug, new Date());
    const path = entry ? documentPath(entry) : HIGHLIGHTS_PATH;
    if (posted.intent === "delete") {
      await deleteHighlight(userId, posted.id);
      return { kind: "deleted", id: posted.id, path };
    }
    const { color, note } = posted;
    const searched = searchedText({ quote: found.quote, note });
    await updateHighlight(userId, posted.id, { color, note, searched });
    return { kind: "changed", id: posted.id, path: `${path}#${passageId(posted.id)}` };
  } catch (error) {
    log().error({ err: error, userId }, "a highlight could not be saved");
    return { kind: "failed" };
  }
}

type Added = Extract<z.infer<typeof postedSchema>, { intent: "add" }>;

async function addHighlight(
  { userId, edition }: { userId: string; edition: Edition },
  { id, slug, renderKey, passage, color, note }: Added,
): Promise<SaveHighlightOutcome> {
  const entry = edition.find(slug, new Date());
  if (!entry) return { kind: "changed-text" };
  const [text] = await findStoredTexts(edition.digest, [entry.slug]);
  if (text?.renderKey !== renderKey) return { kind: "changed-text" };
  const { characters } = passageText(text.html);
  const range = wordsIn(characters, passage);
  if (!range) return { kind: "invalid" };
  if (range.end - range.start > MAX_QUOTE_LENGTH) return { kind: "too-long" };
  const words = passageAt(characters, range);
  const searched = searchedText({ ...words, note });
  const path = (id: string) => `${documentPath(entry)}#${passageId(id)}`;
  const same = (await listHighlights({ userId, slug: entry.id })).find(
    (other) => other.start === words.start && other.quote === words.quote && !other.isLost,
  );
  if (same) {
    await updateHighlight(userId, same.id, { color, note: note || same.note, searched });
    return { kind: "changed", id: same.id, path: path(same.id) };
  }
  if ((await countHighlights(userId)) >= MAX_HIGHLIGHTS) return { kind: "too-many" };
  const { id: textId, title } = entry;
  const place = { ...words, userId, slug: textId, title, renderKey };
  await insertHighlight({ ...place, id, color, note, searched });
  return { kind: "added", id, path: path(id) };
}

/** Returns the range from the first to the last of some ranges, without white space at its ends. */
function wordsIn(characters: string, ranges: readonly string[]): Range | null {
  const ends = ranges.flatMap((range) => range.split("-").map(Number));
  const first = Math.min(...ends);
  const words = characters.slice(first, Math.max(...ends));
  if (words.trim() === "") return null;
  const start = first + words.length - words.trimStart().length;
  return { start, end: start + words.trim().length };
}
