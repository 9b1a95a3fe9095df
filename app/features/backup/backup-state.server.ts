/** The backup state known to this process's timer. */
type BackupState = {
  /** Consecutive failed attempts; null before the first attempt has ended. */
  failures: number | null;
  /** The newest backup in the store furthest behind; null if it has none, undefined before the first check. */
  newest: Date | null | undefined;
};

const HOUR_MS = 60 * 60 * 1000;

const state: BackupState = { failures: null, newest: undefined };

/** Records the result of a timer's attempt. */
export function noteBackupAttempt(succeeded: boolean): void {
  state.failures = succeeded ? 0 : (state.failures ?? 0) + 1;
}

/** Records the time of the newest backup in the store furthest behind; null if it has none. */
export function noteNewestBackup(time: Date | null): void {
  state.newest = time;
}

/** Returns the state recorded by the timer. */
export function backupState(): Readonly<BackupState> {
  return state;
}

/** Whether a store's newest backup is overdue. The margin allows for failed attempts, retried every 15 minutes. */
export function isBackupLate(newest: Date | null, every: number, now: Date): boolean {
  if (newest === null) return true;
  return now.getTime() - newest.getTime() > every + Math.max(HOUR_MS, every / 4);
}
