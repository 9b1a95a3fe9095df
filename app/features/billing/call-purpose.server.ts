import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What a call to Stripe is made for, the most urgent first: a payment was made, a user wants to pay, a user
 * views their membership, or nobody is waiting (the timer and the operator's commands).
 */
const CALL_PURPOSES = ["webhook", "checkout", "membership", "background"] as const;

export type CallPurpose = (typeof CALL_PURPOSES)[number];

const storage = new AsyncLocalStorage<CallPurpose>();

/** Runs a function; all calls to Stripe made until its promise settles, at any depth, have this purpose. */
export function withCallPurpose<Result>(
  purpose: CallPurpose,
  work: () => Promise<Result>,
): Promise<Result> {
  return storage.run(purpose, work);
}

/** The purpose of the current call chain; "background" by default. */
export function callPurpose(): CallPurpose {
  return storage.getStore() ?? "background";
}

/** The rank of a purpose in a queue: the higher, the earlier. */
export function priorityOf(purpose: CallPurpose): number {
  return CALL_PURPOSES.length - CALL_PURPOSES.indexOf(purpose);
}
