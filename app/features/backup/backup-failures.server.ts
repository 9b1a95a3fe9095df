/** Attempts of this process's timer that failed since the last one that did not; null before the first. */
let failures: number | null = null;

/** Notes how an attempt of the timer ended. */
export function noteBackupAttempt(succeeded: boolean): void {
  failures = succeeded ? 0 : (failures ?? 0) + 1;
}

/** How many attempts have failed in a row; null while none has ended. */
export function backupFailures(): number | null {
  return failures;
}
