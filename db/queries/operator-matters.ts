import { and, desc, eq, isNotNull, isNull, lt, lte, sql } from "drizzle-orm";
import { type Executor, getDatabase, type Transaction } from "../client";
import { type OperatorMatter, operatorMatters } from "../schema";

export type MatterFacts = OperatorMatter["facts"];

/** A matter to be opened. */
export type NewMatter = {
  kind: string;
  key: string;
  facts: MatterFacts;
  openedAt: Date;
  /** How long it has to last before the operator is told, in milliseconds. */
  reportAfterMs: number;
};

/** How long after telling the operator of a matter the same one is not told again, in milliseconds. */
const QUIET_MS = 24 * 60 * 60 * 1000;

/**
 * Opens a matter, unless one with its key is open; false then. If the operator was told of one with the same key within
 * the last 24 hours, this one waits until they are over.
 */
export async function insertMatter(
  { kind, key, facts, openedAt, reportAfterMs }: NewMatter,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const told = sql`(select max(reported_at) from ${operatorMatters} where key = ${key})`;
  const due = new Date(openedAt.getTime() + reportAfterMs).toISOString();
  const { count } = await executor
    .insert(operatorMatters)
    .values({
      kind,
      key,
      facts,
      openedAt,
      seenAt: openedAt,
      reportDueAt: sql`greatest(${due}::timestamptz, ${told} + ${QUIET_MS} * interval '1 millisecond')`,
    })
    .onConflictDoNothing();
  return count > 0;
}

/** The matters that are open, oldest first. */
export async function findOpenMatters(): Promise<OperatorMatter[]> {
  const { db } = getDatabase();
  return db
    .select()
    .from(operatorMatters)
    .where(isNull(operatorMatters.clearedAt))
    .orderBy(operatorMatters.openedAt);
}

/** The matters that the operator was told of and that are over, the newest first. */
export async function findClearedMatters(limit: number): Promise<OperatorMatter[]> {
  const { db } = getDatabase();
  return db
    .select()
    .from(operatorMatters)
    .where(and(isNotNull(operatorMatters.clearedAt), isNotNull(operatorMatters.reportedAt)))
    .orderBy(desc(operatorMatters.clearedAt))
    .limit(limit);
}

/** The open matter with a key, locked until the transaction ends; null if there is none. */
export async function lockOpenMatter(key: string, tx: Transaction): Promise<OperatorMatter | null> {
  const [matter] = await tx
    .select()
    .from(operatorMatters)
    .where(and(eq(operatorMatters.key, key), isNull(operatorMatters.clearedAt)))
    .for("update");
  return matter ?? null;
}

/** Whether a matter with a key was cleared at or after a time. */
export async function wasMatterClearedSince(
  key: string,
  since: Date,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const [row] = await executor
    .select({ id: operatorMatters.id })
    .from(operatorMatters)
    .where(
      and(
        eq(operatorMatters.key, key),
        sql`${operatorMatters.clearedAt} >= ${since.toISOString()}::timestamptz`,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/**
 * The open matters that the operator is to be told of by now, locked; those that another instance is at, or that are well
 * again, are left out.
 */
export async function lockMattersToReport(now: Date, tx: Transaction): Promise<OperatorMatter[]> {
  return tx
    .select()
    .from(operatorMatters)
    .where(
      and(
        isNull(operatorMatters.clearedAt),
        isNull(operatorMatters.reportedAt),
        isNull(operatorMatters.goodSince),
        lte(operatorMatters.reportDueAt, now),
      ),
    )
    .orderBy(operatorMatters.openedAt)
    .for("update", { skipLocked: true });
}

/** Changes a matter. */
export async function updateMatter(
  id: string,
  changes: Partial<
    Pick<OperatorMatter, "facts" | "seenAt" | "goodSince" | "reportedAt" | "isMailed" | "clearedAt">
  >,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.update(operatorMatters).set(changes).where(eq(operatorMatters.id, id));
}

/** Forgets a matter of which nobody was told. */
export async function deleteMatter(
  id: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(operatorMatters).where(eq(operatorMatters.id, id));
}

/** Deletes matters that were cleared before a time. */
export async function deleteOldMatters(clearedBefore: Date): Promise<void> {
  const { db } = getDatabase();
  await db.delete(operatorMatters).where(lt(operatorMatters.clearedAt, clearedBefore));
}
