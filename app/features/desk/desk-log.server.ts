import { readableEmail } from "~/environment/email-address.server";
import type { Executor } from "~db/client";
import { isWithin } from "~db/clock";
import { findDeskChanges, insertDeskChange } from "~db/queries/desk";
import type { DeskDraft } from "~db/schema";
import type { Author } from "./author.server";

const PER_PAGE = 50;

/** Saves of a draft by one author within this time, in milliseconds, are one entry. */
const WRITING_MS = 60 * 60 * 1000;

/**
 * Records in the desk's log what an author has done: a sentence without a subject that names no person, such as "Paused the
 * letter “Fog”"; the account that it concerns is given by its id. Call it in the transaction of the change where it has one.
 */
export async function recordChange(
  { userId }: Pick<Author, "userId">,
  what: string,
  { about = null, executor }: { about?: string | null; executor?: Executor } = {},
): Promise<void> {
  await insertDeskChange({ userId, what: what.slice(0, 500), aboutUserId: about }, executor);
}

/** Records that an author has written in a draft, once an hour. `before` is the draft as it was; null for a new one. */
export async function recordWriting(
  author: Author,
  before: Pick<DeskDraft, "savedBy" | "savedAt"> | null,
  what: string,
): Promise<void> {
  if (before?.savedBy === author.userId && isWithin(before.savedAt, WRITING_MS)) return;
  await recordChange(author, what);
}

/** Loads a page of the log, counted from 1, newest first, with times as ISO 8601 instants. */
export async function listChanges(page: number) {
  const found = await findDeskChanges(PER_PAGE + 1, (page - 1) * PER_PAGE);
  const changes = found.slice(0, PER_PAGE).map(({ at, by, about, ...change }) => ({
    ...change,
    at: at.toISOString(),
    by: by && readableEmail(by),
    about: about && readableEmail(about),
  }));
  return { changes, page, hasNext: found.length > PER_PAGE };
}
