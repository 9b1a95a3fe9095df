import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { type DeskDraft, deskChanges, deskDrafts, deskFiles, users } from "../schema";

/** What an author did, as the desk lists it. */
export type ListedChange = {
  id: string;
  at: Date;
  what: string;
  /** The addresses of who did it and of the account that it concerns; null if there is none any more. */
  by: string | null;
  about: string | null;
};

export async function insertDeskChange(
  change: Omit<typeof deskChanges.$inferInsert, "id" | "at">,
  executor: Executor = db(),
): Promise<void> {
  await executor.insert(deskChanges).values(change);
}

/** The latest changes, the newest first, after skipping `offset`. */
export async function findDeskChanges(limit: number, offset = 0): Promise<ListedChange[]> {
  const { id, at, what, userId, aboutUserId } = deskChanges;
  const emailOf = (of: typeof userId | typeof aboutUserId) =>
    sql<string | null>`(select ${users.email} from ${users} where ${users.id} = ${of})`;
  return db()
    .select({ id, at, what, by: emailOf(userId), about: emailOf(aboutUserId) })
    .from(deskChanges)
    .orderBy(desc(at), id)
    .limit(limit)
    .offset(offset);
}

export async function findDraft(id: string): Promise<DeskDraft | null> {
  return firstRow(db().select().from(deskDrafts).where(eq(deskDrafts.id, id)));
}

/** The draft of a file of the edition. */
export async function findDraftOfFile(path: string): Promise<DeskDraft | null> {
  return firstRow(db().select().from(deskDrafts).where(eq(deskDrafts.path, path)));
}

/** Drafts of a kind, the one saved last first. */
export async function findDrafts(kind: DeskDraft["kind"]): Promise<DeskDraft[]> {
  return db()
    .select()
    .from(deskDrafts)
    .where(eq(deskDrafts.kind, kind))
    .orderBy(desc(deskDrafts.savedAt));
}

/** Inserts a draft; null, with nothing written, if its file has one already. */
export async function insertDraft(
  draft: Pick<DeskDraft, "kind" | "path" | "content" | "baseHash" | "savedBy">,
): Promise<DeskDraft | null> {
  return firstRow(db().insert(deskDrafts).values(draft).onConflictDoNothing().returning());
}

/** Saves a draft's text if it is still of this version; null, with nothing written, if somebody saved it meanwhile. */
export async function updateDraft(
  { id, version }: Pick<DeskDraft, "id" | "version">,
  saved: Pick<DeskDraft, "content" | "savedBy"> & Partial<Pick<DeskDraft, "baseHash">>,
  now: Date,
): Promise<DeskDraft | null> {
  return firstRow(
    db()
      .update(deskDrafts)
      .set({ ...saved, savedAt: now, version: version + 1 })
      .where(and(eq(deskDrafts.id, id), eq(deskDrafts.version, version)))
      .returning(),
  );
}

/** Deletes a draft if it is still of this version, with its pictures; false if somebody saved it meanwhile. */
export async function deleteDraft(
  { id, version }: Pick<DeskDraft, "id" | "version">,
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .delete(deskDrafts)
    .where(and(eq(deskDrafts.id, id), eq(deskDrafts.version, version)));
  return count > 0;
}

/** Stores an uploaded file, in place of the same letter's file of that name; returns its id. */
export async function storeDeskFile(file: typeof deskFiles.$inferInsert): Promise<string> {
  const { content, uploadedBy } = file;
  const [stored] = await db()
    .insert(deskFiles)
    .values(file)
    .onConflictDoUpdate({
      target: [deskFiles.draftId, deskFiles.name],
      set: { content, uploadedBy },
    })
    .returning({ id: deskFiles.id });
  if (!stored) throw new Error("A file was not stored.");
  return stored.id;
}

/** The files of a letter, by name. */
export async function findDraftFiles(draftId: string) {
  const { id, name, content } = deskFiles;
  return db()
    .select({ id, name, content })
    .from(deskFiles)
    .where(eq(deskFiles.draftId, draftId))
    .orderBy(asc(name));
}

/** A list that was uploaded to be imported, for the author who uploaded it. */
export async function findUploadedList(id: string, uploadedBy: string) {
  const { name, content } = deskFiles;
  const isList = and(eq(deskFiles.uploadedBy, uploadedBy), isNull(deskFiles.draftId));
  return firstRow(
    db()
      .select({ name, content })
      .from(deskFiles)
      .where(and(eq(deskFiles.id, id), isList)),
  );
}

export async function deleteDeskFile(id: string): Promise<void> {
  await db().delete(deskFiles).where(eq(deskFiles.id, id));
}
