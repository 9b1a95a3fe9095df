import { pingDatabase } from "~db/queries/ping";

/** Longest wait for the database's answer, in milliseconds. */
const TIMEOUT_MS = 2_000;

let asking: Promise<boolean> | null = null;

/**
 * Whether the database answers a trivial query in time. However many ask at once, one query is made: a
 * flood of health checks takes no connection from the visitors. Never throws.
 */
export function isDatabaseReady(): Promise<boolean> {
  asking ??= askDatabase().finally(() => {
    asking = null;
  });
  return asking;
}

async function askDatabase(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, false);
  });
  try {
    const answered = pingDatabase().then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, tooLate]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
