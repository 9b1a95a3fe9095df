import type { State } from "./state";

/** The API version that the sandbox plays; the one stripe-node 23.1 asks for. */
export const API_VERSION = "2026-10-28.endive";

/** The request that makes things happen; null for what the clock or a tester brings about. */
export type Cause = { requestId: string; idempotencyKey: string | null };

/** What every part of the sandbox works on. */
export type Sandbox = {
  readonly state: State;
  /** Where browsers reach the sandbox. */
  readonly origin: string;
  /** Where checkout and portal pages are: the account's custom domain, if it has one. */
  readonly pagesOrigin: string;
  cause: Cause | null;
  /** The sandbox clock, in Unix seconds. */
  now(): number;
  /** Must follow every change of the state. */
  changed(): void;
};

/** Runs one piece of work whose events name `cause` as their request. */
export function withCause<Result>(sandbox: Sandbox, cause: Cause, work: () => Result): Result {
  const outer = sandbox.cause;
  sandbox.cause = cause;
  try {
    return work();
  } finally {
    sandbox.cause = outer;
  }
}
