import { and, desc, eq, ne } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { notes } from "../schema";

/** A member's notes on one text. */
export type NoteRow = { text: string; version: number };

type NoteKey = { userId: string; slug: string };

const isNote = ({ userId, slug }: NoteKey) => and(eq(notes.userId, userId), eq(notes.slug, slug));

/** A member's notes on a text; null if there have never been any. */
export async function findNote(key: NoteKey): Promise<NoteRow | null> {
  return firstRow(
    db().select({ text: notes.text, version: notes.version }).from(notes).where(isNote(key)),
  );
}

/** As `findNote`, and locks the row until the transaction ends. */
export async function findNoteForUpdate(key: NoteKey, executor: Executor): Promise<NoteRow | null> {
  return firstRow(
    executor
      .select({ text: notes.text, version: notes.version })
      .from(notes)
      .where(isNote(key))
      .for("update"),
  );
}

/** Stores the first notes on a text, as version 1; false if another transaction has stored some meanwhile. */
export async function insertNote(
  { userId, slug, title, text }: NoteKey & { title: string; text: string },
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .insert(notes)
    .values({ userId, slug, title, text })
    .onConflictDoNothing();
  return count > 0;
}

/**
 * Replaces notes of a version by others as the next one; false, with nothing written, unless that version is stored with
 * another text. Without a title the one that is stored stays.
 */
export async function replaceNote({
  title,
  text,
  version,
  updatedAt,
  ...key
}: NoteKey & NoteRow & { title: string | undefined; updatedAt: Date }): Promise<boolean> {
  const { count } = await db()
    .update(notes)
    .set({ text, title, version: version + 1, updatedAt })
    .where(and(isNote(key), eq(notes.version, version), ne(notes.text, text)));
  return count > 0;
}

/** Replaces notes that the caller has locked. Without a title the one that is stored stays. */
export async function updateNote(
  { userId, slug, ...changes }: NoteKey & NoteRow & { title?: string | undefined; updatedAt: Date },
  executor: Executor,
): Promise<void> {
  await executor.update(notes).set(changes).where(isNote({ userId, slug }));
}

/** The texts on which a member has notes, those changed last first, without the notes themselves. */
export async function listNotes(
  userId: string,
): Promise<{ slug: string; title: string; updatedAt: Date }[]> {
  return db()
    .select({ slug: notes.slug, title: notes.title, updatedAt: notes.updatedAt })
    .from(notes)
    .where(and(eq(notes.userId, userId), ne(notes.text, "")))
    .orderBy(desc(notes.updatedAt), notes.slug);
}
