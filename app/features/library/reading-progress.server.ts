import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import {
  listReadingProgress,
  markTextRead,
  markTextUnread,
  type ProgressRow,
  upsertPosition,
} from "~db/queries/reading-progress";
import type { Edition, EditionEntry } from "./edition";
import {
  minutesFor,
  progressIn,
  type ReadingState,
  type TextProgress,
  textProgress,
} from "./reading-state";

/** Result of a progress post; `entry` is its text, `next` the one that follows it, if any. */
export type ProgressOutcome =
  | { kind: "went-on"; entry: EditionEntry; next: EditionEntry | null }
  | { kind: "marked-read" | "marked-unread" | "position-saved" | "failed"; entry: EditionEntry }
  /** No text with this slug is published. */
  | { kind: "unknown-text" }
  | { kind: "invalid" };

const progressSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("read"), slug: z.string() }),
  z.object({ action: z.literal("read-on"), slug: z.string() }),
  z.object({ action: z.literal("unread"), slug: z.string() }),
  z.object({ action: z.literal("position"), slug: z.string(), block: z.int().min(1) }),
]);

/**
 * Marks a text as read or unread, or stores where reading stopped, depending on the fields. Positions past the text's
 * end count as its last block. An unread text begins at its beginning. Writes nothing for an unpublished text.
 */
export async function recordProgress(
  { userId, edition }: { userId: string; edition: Edition },
  fields: Record<string, FieldValue>,
): Promise<ProgressOutcome> {
  const parsed = progressSchema.safeParse(fields);
  if (!parsed.success) return { kind: "invalid" };
  const place = edition.placeOf(parsed.data.slug, new Date());
  if (!place) return { kind: "unknown-text" };
  const { entry, next } = place;
  const key = { userId, slug: entry.id };
  try {
    switch (parsed.data.action) {
      case "read":
        await markTextRead(key);
        return { kind: "marked-read", entry };
      case "read-on":
        await markTextRead(key);
        return { kind: "went-on", entry, next };
      case "unread":
        await markTextUnread(key);
        return { kind: "marked-unread", entry };
      case "position":
        await upsertPosition({ ...key, block: Math.min(parsed.data.block, entry.blockCount) });
        return { kind: "position-saved", entry };
    }
  } catch (error) {
    log().error({ err: error, userId }, "reading progress could not be stored");
    return { kind: "failed", entry };
  }
}

/** Loads a member's progress in each published text of an edition. */
export async function loadReadingState(
  userId: string,
  edition: Edition,
  now: Date = new Date(),
): Promise<ReadingState> {
  return toReadingState(await listReadingProgress(userId), edition, now);
}

/** Returns the progress that these rows of a member hold, in each published text of an edition. */
export function toReadingState(
  rows: readonly ProgressRow[],
  edition: Edition,
  now: Date,
): ReadingState {
  const texts: Record<string, TextProgress> = {};
  let last: { slug: string; updatedAt: Date } | null = null;
  let finished: { slug: string; at: Date } | null = null;
  for (const row of rows) {
    const entry = edition.find(row.slug, now);
    if (!entry) continue;
    const { block, readAt, updatedAt } = row;
    texts[entry.slug] = textProgress(entry, { isRead: readAt !== null, block });
    const isOpen = block !== null && readAt === null;
    if (isOpen && (!last || updatedAt > last.updatedAt)) last = { slug: entry.slug, updatedAt };
    if (entry.kind === "chapter" && readAt && (!finished || readAt > finished.at)) {
      finished = { slug: entry.slug, at: readAt };
    }
  }
  const isNewer = finished !== null && (!last || finished.at > last.updatedAt);
  return {
    texts,
    lastSlug: last?.slug ?? null,
    finishedSlug: isNewer ? (finished?.slug ?? null) : null,
  };
}

/** Returns the minutes that the unread rest of all published chapters takes to read. */
export function minutesLeftIn(edition: Edition, state: ReadingState, now: Date): number {
  return edition
    .chapters(now)
    .reduce((sum, entry) => sum + minutesFor(entry, progressIn(state, entry.slug)), 0);
}
