let wakeUp: (() => void) | null = null;

/** Registers what `wakeMailWorker` calls; null when the worker stops. */
export function onMailQueued(listener: (() => void) | null): void {
  wakeUp = listener;
}

/**
 * Tells this process's mail worker that a transaction which queued mail has committed. Without it, or in a process
 * that runs no worker, the mail waits for the next poll, a second at most.
 */
export function wakeMailWorker(): void {
  wakeUp?.();
}
