/** What this process's timer has found out about the backups. */
type BackupState = {
  /** Attempts that failed since the last one that did not; null before the first has ended. */
  failures: number | null;
  /** When the newest was made in the place that is furthest behind; null if it has none, undefined before the first look. */
  newest: Date | null | undefined;
};

const HOUR_MS = 60 * 60 * 1000;

const state: BackupState = { failures: null, newest: undefined };

/** Notes how an attempt of the timer ended. */
export function noteBackupAttempt(succeeded: boolean): void {
  state.failures = succeeded ? 0 : (state.failures ?? 0) + 1;
}

/** Notes when the newest backup was made in the place that is furthest behind; null if it has none. */
export function noteNewestBackup(time: Date | null): void {
  state.newest = time;
}

/** What the timer has noted. */
export function backupState(): Readonly<BackupState> {
  return state;
}

/** Whether a place's newest backup is overdue: attempts that fail are repeated every quarter of an hour. */
export function isBackupLate(newest: Date | null, every: number, now: Date): boolean {
  if (newest === null) return true;
  return now.getTime() - newest.getTime() > every + Math.max(HOUR_MS, every / 4);
}
