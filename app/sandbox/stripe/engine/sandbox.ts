import type { State } from "./state";

/** The API version that the local Stripe implements: the one requested by stripe-node 23.1. */
export const API_VERSION = "2026-10-28.endive";

/** The API request that caused an event; null if the clock or a tester did. */
type Cause = { requestId: string; idempotencyKey: string | null };

/** The shared context of the local Stripe. */
export type Sandbox = {
  readonly state: State;
  /** The origin at which browsers reach the local Stripe. */
  readonly origin: string;
  /** The origin of checkout and portal pages: the account's custom domain, if any. */
  readonly pagesOrigin: string;
  cause: Cause | null;
  /** The local Stripe's clock, in Unix seconds. */
  now(): number;
  /** Must be called after every change of the state. */
  changed(): void;
};

/** Runs work whose events name `cause` as their request. */
export function withCause<Result>(sandbox: Sandbox, cause: Cause, work: () => Result): Result {
  const outer = sandbox.cause;
  sandbox.cause = cause;
  try {
    return work();
  } finally {
    sandbox.cause = outer;
  }
}

/** Writes a log line of the local Stripe. Lines contain ids and outcomes, never card numbers or secrets. */
export type Log = (line: { msg: string; [key: string]: unknown }) => void;
