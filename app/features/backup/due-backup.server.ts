import { log } from "~/observability/log.server";
import { failedBackups, setLastBackup } from "~/observability/metrics.server";
import { OperatorError } from "~db/operator-error";
import { withInstanceLock } from "~db/queries/instance-lock";
import { backupName } from "./backup-name";
import { noteBackupAttempt, noteNewestBackup } from "./backup-state.server";
import type { BackupStore, StoredBackup } from "./backup-store";
import { configuredBackupStores, upgradeFolder } from "./backup-stores.server";
import { verifyBackup } from "./verify-backup.server";
import { backUp } from "./write-backup.server";

/** A backup further ahead than this was made with a wrong clock and is ignored, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** Delay after a failure, or while another instance makes the backup, in milliseconds. */
const RETRY_MS = 15 * 60 * 1000;

/**
 * Makes a backup if the newest one is older than `every` milliseconds, judged by the names in the stores alone. Reads
 * a new backup back and verifies it before deleting older ones. Returns the time of the next check. Logs and counts
 * failures; never throws.
 */
export async function backUpIfDue(
  every: number,
  now = new Date(),
  stopping?: AbortSignal,
): Promise<Date> {
  const startedAt = performance.now();
  // counted from the end of an attempt, which may take longer than the delay
  const retry = () =>
    new Date(now.getTime() + performance.now() - startedAt + Math.min(RETRY_MS, every));
  try {
    const stores = await configuredBackupStores();
    const dueAt = await whenDue(stores, every, now);
    if (dueAt > now) {
      noteBackupAttempt(true);
      return dueAt;
    }
    const next = await withInstanceLock("backup", async () => {
      // another instance may have made it since the first check
      const isDue = (await whenDue(stores, every, now)) <= now;
      const failures = isDue ? await backUpTo(stores, every, now, stopping) : [];
      const next = await whenDue(stores, every, now);
      if (failures.length > 0) throw failures[0];
      noteBackupAttempt(true);
      return next;
    });
    return next ?? retry();
  } catch (error) {
    if (stopping?.aborted) return retry();
    failedBackups.inc();
    noteBackupAttempt(false);
    log().error(
      { err: error },
      "the backup failed; it is tried again in a quarter of an hour, and older ones are kept",
    );
    return retry();
  }
}

/**
 * Makes a backup now, wherever the timer does: in every configured store. Without any, it goes to DATA_DIR's folder `backups`, in
 * place of an earlier one made so. Returns its name and size; null if one is being made. Throws an OperatorError.
 */
export async function backUpNow(
  now = new Date(),
): Promise<Pick<StoredBackup, "name" | "bytes"> | null> {
  const configured = await configuredBackupStores();
  const [first = upgradeFolder(), ...others] = configured;
  return withInstanceLock("backup", async () => {
    const [failure] = await backUpTo([first, ...others], 0, now);
    if (failure) throw failure;
    const backups = await first.list();
    const made = backups.find(({ name }) => name === backupName(now));
    if (!made) throw new OperatorError(`${first.label} has lost the backup that was just made.`);
    if (configured.length === 0) {
      for (const { name } of backups) if (name !== made.name) await first.remove(name);
    }
    await whenDue(configured, 0, now);
    noteBackupAttempt(true);
    return made;
  });
}

/**
 * Returns when the next backup is due: now if any store has no recent one or cannot be listed. Records the newest
 * backup of the store furthest behind, also in the metrics, unless a store cannot be listed.
 */
async function whenDue(stores: BackupStore[], every: number, now: Date): Promise<Date> {
  const newest: (StoredBackup | null)[] = [];
  for (const store of stores) {
    // the other stores still get their backups; the error is reported when backing up to this one
    const backups = await store.list().catch(() => null);
    if (backups) newest.push(newestOf(backups, now) ?? null);
  }
  const [oldest = null] = newest.toSorted((one, other) => timeOf(one) - timeOf(other));
  if (newest.length === stores.length) {
    setLastBackup(oldest?.time ?? null, oldest?.bytes ?? 0);
    noteNewestBackup(oldest?.time ?? null);
  }
  if (newest.length < stores.length || oldest === null) return now;
  return new Date(oldest.time.getTime() + every);
}

const timeOf = (backup: StoredBackup | null) => backup?.time.getTime() ?? 0;

function newestOf(backups: StoredBackup[], now: Date): StoredBackup | undefined {
  const latest = now.getTime() + CLOCK_TOLERANCE_MS;
  return backups.findLast(({ time }) => time.getTime() <= latest);
}

/**
 * Ensures that every store has a recent backup: makes a new one once and copies it to the others. A failure at one
 * store does not affect the others. Returns the failures; throws if aborted.
 */
async function backUpTo(
  stores: BackupStore[],
  every: number,
  now: Date,
  stopping?: AbortSignal,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  let source: Source | null = null;
  for (const store of stores) {
    try {
      source = await ensureBackup(store, source, every, now, stopping);
    } catch (error) {
      stopping?.throwIfAborted();
      failures.push(error);
    }
  }
  return failures;
}

/** A recent backup and its store. */
type Source = { store: BackupStore; name: string };

/** Ensures that a store has a recent backup: copies `source` or makes one. Returns a source for other stores. */
async function ensureBackup(
  store: BackupStore,
  source: Source | null,
  every: number,
  now: Date,
  stopping?: AbortSignal,
): Promise<Source> {
  const startedAt = performance.now();
  await store.removeUnfinished();
  const newest = newestOf(await store.list(), now);
  if (newest && newest.time.getTime() + every > now.getTime()) {
    return source ?? { store, name: newest.name };
  }
  const name = source?.name ?? backupName(now);
  const content = source ? source.store.read(name) : backUp(now, { onLeftOut: warn });
  // an unreadable backup must not count as one for the next attempt, or after a kill
  const verify = (stored: AsyncIterable<Uint8Array>) =>
    verifyBackup(untilAborted(stored, stopping));
  const bytes = await store.save(name, content, { stopping, verify });
  const expired = await removeExpired(store, now);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  log().info({ backup: name, bytes, seconds, expired, store: store.label }, "backed up");
  return source ?? { store, name };
}

async function* untilAborted(
  content: AsyncIterable<Uint8Array>,
  stopping?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    stopping?.throwIfAborted();
    yield chunk;
  }
}

async function removeExpired(store: BackupStore, now: Date): Promise<number> {
  const backups = await store.list();
  const expired = new Set(
    expiredBackups(
      backups.map(({ time }) => time),
      now,
    ),
  );
  const old = backups.filter(({ time }) => expired.has(time));
  for (const { name } of old) await store.remove(name);
  return old.length;
}

function warn(sentence: string): void {
  log().warn(`the backup is not complete: ${sentence}`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many days, weeks and months keep one backup each. Only those with a backup count. */
const KEPT = { days: 7, weeks: 5, months: 12 };

/** Returns the UTC day, week and month of a time. Weeks begin on Monday. */
const PERIODS: [keyof typeof KEPT, (time: Date) => string][] = [
  ["days", (time) => time.toISOString().slice(0, 10)],
  ["weeks", mondayOf],
  ["months", (time) => time.toISOString().slice(0, 7)],
];

/**
 * Returns the times of backups to delete: all except those of the last 24 hours, and the last one of each of the last
 * 7 days, 5 weeks and 12 months with backups. Periods without a backup do not count, so downtime deletes nothing and
 * the newest is always kept. Backups from the future, made with a wrong clock, are kept too.
 */
export function expiredBackups(times: readonly Date[], now: Date): Date[] {
  const newestFirst = times.toSorted((one, other) => other.getTime() - one.getTime());
  const past = newestFirst.filter((time) => time <= now);
  const kept = new Set(past.filter((time) => now.getTime() - time.getTime() < DAY_MS));
  for (const [unit, nameOf] of PERIODS) {
    const seen = new Set<string>();
    for (const time of past) {
      const period = nameOf(time);
      if (seen.has(period) || seen.size >= KEPT[unit]) continue;
      seen.add(period);
      kept.add(time);
    }
  }
  return past.filter((time) => !kept.has(time));
}

function mondayOf(time: Date): string {
  const sinceMonday = (time.getUTCDay() + 6) % 7;
  return new Date(time.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}
