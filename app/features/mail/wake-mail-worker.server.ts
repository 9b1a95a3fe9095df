let wakeUp: (() => void) | null = null;

/** Registers the listener of `wakeMailWorker`; null when the worker stops. */
export function onMailQueued(listener: (() => void) | null): void {
  wakeUp = listener;
}

/**
 * Wakes this process's mail worker after a transaction that queued mail has committed. Otherwise, or in a process
 * without a worker, the mail waits up to a second for the next poll.
 */
export function wakeMailWorker(): void {
  wakeUp?.();
}
