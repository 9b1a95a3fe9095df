import { lt } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "../client";
import {
  deskChanges,
  deskFiles,
  emailChanges,
  operatorAlerts,
  passwordResets,
  programStarts,
  rateLimits,
  sessions,
  usedChallenges,
} from "../schema";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Columns with a time after which, or so many days later, their row is deleted. */
const LIVES: readonly [time: PgColumn, days: number][] = [
  [sessions.expiresAt, 0],
  [passwordResets.expiresAt, 0],
  [emailChanges.expiresAt, 0],
  [usedChallenges.expiresAt, 0],
  [rateLimits.expire, 0],
  [deskFiles.expiresAt, 0],
  [deskChanges.at, 730],
  // the letter compares months, and a year is remembered
  [operatorAlerts.resolvedAt, 400],
  // a crash loop shows within half an hour
  [programStarts.startedAt, 7],
];

/** Deletes the rows of several tables that have expired or were resolved or begun long before `now`. */
export async function deleteOldRows(now: Date): Promise<void> {
  for (const [time, days] of LIVES) {
    const before = new Date(now.getTime() - days * DAY_MS);
    await db()
      .delete(time.table as PgTable)
      .where(lt(time, before));
  }
}
