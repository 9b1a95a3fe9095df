import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { backUpIfDue } from "./due-backup.server";

/** Delay of the first check after the site has started to serve, in milliseconds. */
const FIRST_CHECK_MS = 10_000;

/** Maximum interval between checks, in milliseconds: backups may have been deleted meanwhile. */
const MAX_INTERVAL_MS = 60 * 60 * 1000;

/** Maximum wait for a backup in progress to abort, in milliseconds. */
const STOP_MS = 5_000;

/**
 * Makes backups every BACKUP_EVERY until the returned function is called. That aborts one in progress and waits at
 * most `stopMs` for it. Does nothing if BACKUP_EVERY is not set.
 */
export function startBackups(firstCheckMs = FIRST_CHECK_MS, stopMs = STOP_MS): () => Promise<void> {
  const every = env().BACKUP_EVERY;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> = Promise.resolve();
  const checkIn = (milliseconds: number, interval: number) => {
    timer = setTimeout(() => {
      run = backUpIfDue(interval, new Date(), stopping.signal).then((next) => {
        const wait = Math.min(Math.max(next.getTime() - Date.now(), 1_000), MAX_INTERVAL_MS);
        if (!stopping.signal.aborted) checkIn(wait, interval);
      });
    }, milliseconds).unref();
  };
  if (every !== undefined) checkIn(firstCheckMs, every);
  return async () => {
    clearTimeout(timer);
    stopping.abort();
    await pTimeout(run, { milliseconds: stopMs, message: false });
  };
}
