import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What a call to Stripe is made for, the most urgent first: somebody has paid, wants to pay, looks at their
 * membership, or nobody waits at all (the timer and the operator's commands).
 */
const CALL_PURPOSES = ["webhook", "checkout", "membership", "background"] as const;

export type CallPurpose = (typeof CALL_PURPOSES)[number];

const storage = new AsyncLocalStorage<CallPurpose>();

/** Runs work whose calls to Stripe are made for a purpose, however deep inside it they are. */
export function withCallPurpose<Result>(purpose: CallPurpose, work: () => Result): Result {
  return storage.run(purpose, work);
}

/** The purpose of the work under way; "background" unless a caller has said otherwise. */
export function callPurpose(): CallPurpose {
  return storage.getStore() ?? "background";
}

/** The rank of a purpose in a queue: the higher, the earlier. */
export function priorityOf(purpose: CallPurpose): number {
  return CALL_PURPOSES.length - CALL_PURPOSES.indexOf(purpose);
}
