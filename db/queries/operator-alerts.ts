import { and, desc, eq, gt, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { db, type Executor, firstRow, type Transaction } from "../client";
import { type OperatorAlert, operatorAlerts } from "../schema";

export type AlertFacts = OperatorAlert["facts"];

/** An alert to open. */
export type NewAlert = {
  kind: string;
  key: string;
  facts: AlertFacts;
  openedAt: Date;
  /** How long it has to last before it is reported, in milliseconds. */
  reportAfterMs: number;
};

/** How long after notifying the operator of an alert the same one is not reported again, in milliseconds. */
const QUIET_MS = 24 * 60 * 60 * 1000;

/**
 * Opens an alert, unless one with its key is open; false then. If one with the same key was reported within
 * the last 24 hours, this one waits until they are over.
 */
export async function insertAlert(
  { kind, key, facts, openedAt, reportAfterMs }: NewAlert,
  executor: Executor = db(),
): Promise<boolean> {
  const lastReport = sql`(select max(reported_at) from ${operatorAlerts} where key = ${key} and reported_at <= ${openedAt.toISOString()}::timestamptz)`;
  const due = new Date(openedAt.getTime() + reportAfterMs).toISOString();
  const { count } = await executor
    .insert(operatorAlerts)
    .values({
      kind,
      key,
      facts,
      openedAt,
      seenAt: openedAt,
      reportDueAt: sql`greatest(${due}::timestamptz, ${lastReport} + ${QUIET_MS} * interval '1 millisecond')`,
    })
    .onConflictDoNothing();
  return count > 0;
}

/** The open alerts, oldest first. */
export async function findOpenAlerts(): Promise<OperatorAlert[]> {
  return db()
    .select()
    .from(operatorAlerts)
    .where(isNull(operatorAlerts.resolvedAt))
    .orderBy(operatorAlerts.openedAt);
}

/** The resolved alerts that the operator was notified of, newest first. */
export async function findResolvedAlerts(limit: number): Promise<OperatorAlert[]> {
  return db()
    .select()
    .from(operatorAlerts)
    .where(and(isNotNull(operatorAlerts.resolvedAt), isNotNull(operatorAlerts.reportedAt)))
    .orderBy(desc(operatorAlerts.resolvedAt))
    .limit(limit);
}

/** The open alert with a key, locked until the transaction ends; null if there is none. */
export async function lockOpenAlert(key: string, tx: Transaction): Promise<OperatorAlert | null> {
  return firstRow(
    tx
      .select()
      .from(operatorAlerts)
      .where(and(eq(operatorAlerts.key, key), isNull(operatorAlerts.resolvedAt)))
      .for("update"),
  );
}

/** Adds facts to the open alert with a key, if there is one. */
export async function addToOpenAlert(key: string, facts: AlertFacts): Promise<void> {
  await db()
    .update(operatorAlerts)
    .set({ facts: sql`${operatorAlerts.facts} || ${JSON.stringify(facts)}::jsonb` })
    .where(and(eq(operatorAlerts.key, key), isNull(operatorAlerts.resolvedAt)));
}

/** Whether an alert with a key was resolved at or after a time. */
export async function wasAlertResolvedSince(
  key: string,
  since: Date,
  executor: Executor,
): Promise<boolean> {
  const [row] = await executor
    .select({ id: operatorAlerts.id })
    .from(operatorAlerts)
    .where(
      and(
        eq(operatorAlerts.key, key),
        sql`${operatorAlerts.resolvedAt} >= ${since.toISOString()}::timestamptz`,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/**
 * The open alerts to be reported by now, locked. Those that another instance is reporting, or that are well again, are
 * left out.
 */
export async function lockAlertsToReport(now: Date, tx: Transaction): Promise<OperatorAlert[]> {
  return tx
    .select()
    .from(operatorAlerts)
    .where(
      and(
        isNull(operatorAlerts.resolvedAt),
        isNull(operatorAlerts.reportedAt),
        isNull(operatorAlerts.goodSince),
        // no alert waits longer than a day: a later time was set by a clock that ran ahead
        or(
          lte(operatorAlerts.reportDueAt, now),
          gt(operatorAlerts.reportDueAt, new Date(now.getTime() + QUIET_MS)),
        ),
      ),
    )
    .orderBy(operatorAlerts.openedAt)
    .for("update", { skipLocked: true });
}

/** Changes an alert. */
export async function updateAlert(
  id: string,
  changes: Partial<
    Pick<OperatorAlert, "facts" | "seenAt" | "goodSince" | "reportedAt" | "isMailed" | "resolvedAt">
  >,
  executor: Executor = db(),
): Promise<void> {
  await executor.update(operatorAlerts).set(changes).where(eq(operatorAlerts.id, id));
}

/** Deletes an alert that nobody was notified of. */
export async function deleteAlert(id: string, executor: Executor): Promise<void> {
  await executor.delete(operatorAlerts).where(eq(operatorAlerts.id, id));
}
