import PQueue from "p-queue";
import { z } from "zod";
import type { Viewer } from "~/features/accounts/viewer";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { db, type Transaction } from "~db/client";
import { findNoteForUpdate, insertNote, replaceNote, updateNote } from "~db/queries/notes";
import { waitForEdition } from "../current-edition.server";
import { documentPath } from "../library-paths";
import { missingFrom } from "./merge-notes.server";
import { type Insertion, MAX_NOTE_LENGTH, withInsertions } from "./note";

/**
 * Maximum size of a body with a note, in bytes: 100,000 percent-encoded characters of three bytes, and the other
 * fields. JSON may contain the text twice.
 */
export const NOTE_FORM_LIMIT = 1_000_000;

const number = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 2);

const noteSchema = z.object({
  // PostgreSQL cannot store NUL
  slug: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\0]*$/),
  version: number,
  owner: z.string().max(100),
  text: z.string().transform(storableText),
  unconfirmed: z.string().transform(storableText).optional(),
});

/**
 * A posted note. `version` is the version its text was based on, and `owner` the user to whom it was shown.
 * `unconfirmed` is the text of an earlier post from the same page without a response.
 */
export type PostedNote = z.infer<typeof noteSchema>;

/** Parses a posted note; null if fields are missing or malformed. */
export function readPostedNote(fields: Record<string, FieldValue>): PostedNote | null {
  return noteSchema.safeParse(fields).data ?? null;
}

export type SaveNoteOutcome =
  /**
   * The whole posted text is stored: as `version`, with `insertions` from a version it was not based on. `isOver` if
   * the membership has ended. `path` is the page of the text.
   */
  | { kind: "saved"; version: number; insertions: Insertion[]; isOver: boolean; path: string }
  /** The text or the merged text is too long. Nothing was stored. */
  | { kind: "too-long"; message: string }
  /** No such text is published. */
  | { kind: "unknown-text" }
  /** The viewer has never been a member. */
  | { kind: "never-member" }
  /** The text belongs to another user than the signed-in one. */
  | { kind: "other-owner" }
  | { kind: "failed" };

/**
 * Stores a member's notes on a text without losing any. If the stored version is not the one they are based on, both
 * are merged. Accepts notes after the membership has ended. `adopts` accepts another user's text, from someone who
 * signed in to save it. Never throws.
 */
export async function saveNote(
  posted: PostedNote,
  viewer: Viewer,
  { adopts = false }: { adopts?: boolean } = {},
): Promise<SaveNoteOutcome> {
  const { slug, text } = posted;
  const userId = viewer.user.id;
  const isOwner = posted.owner === userId;
  if (!isOwner && !adopts) return { kind: "other-owner" };
  if (!hasBeenMember(viewer)) return { kind: "never-member" };
  if (text.length > MAX_NOTE_LENGTH) {
    return { kind: "too-long", message: tooLong(text.length) };
  }
  try {
    const edition = await waitForEdition();
    if (!edition) return { kind: "failed" };
    const entry = edition.find(slug, new Date());
    // another user's version means nothing for this user's notes
    const written = isOwner ? posted : { ...posted, version: null, unconfirmed: undefined };
    const note = { ...written, userId, slug: entry?.id ?? slug, title: entry?.title };
    const stored =
      (await storeNext(note)) ??
      (await merges.add(() => db().transaction((transaction) => storeNote(note, transaction))));
    if (stored.kind !== "stored") return stored;
    return {
      ...stored,
      kind: "saved",
      isOver: !viewer.isSubscribed,
      path: entry ? documentPath(entry) : "/premium",
    };
  } catch (error) {
    log().error({ err: error, userId }, "notes could not be saved");
    return { kind: "failed" };
  }
}

/** One member's merges wait here, rather than for their row with all of the database's connections. */
const merges = new PQueue({ concurrency: 2 });

type NewNote = {
  userId: string;
  slug: string;
  text: string;
  /** Null if it is not based on a version of this user's. */
  version: number | null;
  unconfirmed?: string | undefined;
  /** Undefined if the edition has no such text. */
  title: string | undefined;
};

type Stored =
  | { kind: "stored"; version: number; insertions: Insertion[] }
  | Extract<SaveNoteOutcome, { kind: "too-long" | "unknown-text" }>;

/** Stores notes based on the stored version, the usual case, in one statement; null if the versions differ. */
async function storeNext(note: NewNote): Promise<Stored | null> {
  const { version, title, text } = note;
  if (version === 0 && title !== undefined && text !== "") {
    const isInserted = await insertNote({ ...note, title });
    return isInserted ? { kind: "stored", version: 1, insertions: [] } : null;
  }
  if (!version || !(await replaceNote({ ...note, title, version, updatedAt: new Date() })))
    return null;
  return { kind: "stored", version: version + 1, insertions: [] };
}

/** Locks the row, so concurrent saves run in sequence and each sees the previous one. */
async function storeNote(note: NewNote, transaction: Transaction): Promise<Stored> {
  const { userId, slug, text, title } = note;
  let row = await findNoteForUpdate({ userId, slug }, transaction);
  if (!row) {
    if (title === undefined) return { kind: "unknown-text" };
    if (text === "") return { kind: "stored", version: 0, insertions: [] };
    if (await insertNote({ userId, slug, title, text }, transaction)) {
      return { kind: "stored", version: 1, insertions: [] };
    }
    row = await findNoteForUpdate({ userId, slug }, transaction);
    if (!row) throw new Error("Notes were neither inserted nor found.");
  }
  const isUpToDate = row.version === note.version || row.text === note.unconfirmed;
  const insertions = isUpToDate ? [] : missingFrom(text, row.text);
  const merged = withInsertions(text, insertions);
  if (merged.length > MAX_NOTE_LENGTH) {
    return { kind: "too-long", message: mergedTooLong(merged.length) };
  }
  const version = merged === row.text ? row.version : row.version + 1;
  if (version !== row.version) {
    const updatedAt = new Date();
    await updateNote({ userId, slug, title, text: merged, version, updatedAt }, transaction);
  }
  return { kind: "stored", version, insertions };
}

/** Whether the viewer is or was a member. Others have seen no page for notes. */
function hasBeenMember({ isSubscribed, profile }: Viewer): boolean {
  // a profile that could not be read must not cost anyone their notes
  return isSubscribed || !profile || profile.stripe_price_id !== null || profile.hasInvoices;
}

/** Returns a text that PostgreSQL can store: without NUL and lone surrogates, with LF line ends. */
function storableText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll("\0", "");
  return Buffer.from(lines, "utf8").toString("utf8");
}

const count = (characters: number) => characters.toLocaleString("en-US");

const tooLong = (length: number) =>
  `Notes on one text can have at most ${count(MAX_NOTE_LENGTH)} characters. Yours have ${count(length)}.`;

const mergedTooLong = (length: number) =>
  `Your notes were changed elsewhere too. Both versions together have ${count(length)} characters, and notes on one text can have at most ${count(MAX_NOTE_LENGTH)}.`;
