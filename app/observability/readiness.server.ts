import pTimeout from "p-timeout";
import { pingDatabase } from "~db/queries/ping";

/** Timeout of the database query, in milliseconds. */
const TIMEOUT_MS = 2_000;

let inFlight: Promise<boolean> | null = null;
let isStopping = false;

/** Makes the site not ready from now on, so that a load balancer stops sending it requests. */
export function setStopping(): void {
  isStopping = true;
}

/** Whether requests may be sent here: the process is not stopping, and the database answers in time. Never throws. */
export async function isReady(): Promise<boolean> {
  return !isStopping && (await isDatabaseReady());
}

/**
 * Whether the database answers a trivial query in time. Concurrent callers share one query, so a flood of
 * health checks takes no connections from visitors. Never throws.
 */
export function isDatabaseReady(): Promise<boolean> {
  inFlight ??= queryDatabase().finally(() => {
    inFlight = null;
  });
  return inFlight;
}

async function queryDatabase(): Promise<boolean> {
  try {
    await pTimeout(pingDatabase(), { milliseconds: TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}
