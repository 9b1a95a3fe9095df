import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Purposes of calls to Stripe, most urgent first. In the background, no user waits: timers and the operator's commands.
 */
const CALL_PURPOSES = ["webhook", "checkout", "membership", "background"] as const;

export type CallPurpose = (typeof CALL_PURPOSES)[number];

const storage = new AsyncLocalStorage<CallPurpose>();

/** Runs a function with a purpose for all its calls to Stripe, at any depth, until its promise settles. */
export function withCallPurpose<Result>(
  purpose: CallPurpose,
  work: () => Promise<Result>,
): Promise<Result> {
  return storage.run(purpose, work);
}

/** Returns the current call chain's purpose; "background" by default. */
export function callPurpose(): CallPurpose {
  return storage.getStore() ?? "background";
}

/** Returns a purpose's priority in a queue; higher runs earlier. */
export function priorityOf(purpose: CallPurpose): number {
  return CALL_PURPOSES.length - CALL_PURPOSES.indexOf(purpose);
}
