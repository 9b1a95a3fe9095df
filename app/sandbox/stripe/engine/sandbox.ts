import type { State } from "./state";

/** The API version that the sandbox implements: the one that stripe-node 23.1 asks for. */
export const API_VERSION = "2026-10-28.endive";

/** The API request that caused an event; null if the clock or a tester did. */
type Cause = { requestId: string; idempotencyKey: string | null };

/** The shared context of the sandbox. */
export type Sandbox = {
  readonly state: State;
  /** The origin at which browsers reach the sandbox. */
  readonly origin: string;
  /** The origin of checkout and portal pages: the account's custom domain, if it has one. */
  readonly pagesOrigin: string;
  cause: Cause | null;
  /** The sandbox clock, in Unix seconds. */
  now(): number;
  /** To be called after every change of the state. */
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

/** Writes a line of the sandbox's log. Lines carry ids and outcomes, never card numbers or secrets. */
export type Log = (line: { msg: string; [key: string]: unknown }) => void;
