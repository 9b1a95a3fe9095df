import { pingDatabase } from "~db/queries/ping";

/** Timeout of the database query, in milliseconds. */
const TIMEOUT_MS = 2_000;

let inFlight: Promise<boolean> | null = null;

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
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, false);
  });
  try {
    const answered = pingDatabase().then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, timedOut]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
