import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { backUpIfDue } from "./due-backup.server";

/** The first look, once visitors are served, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/** The longest between two looks: somebody may have deleted backups meanwhile, in milliseconds. */
const LONGEST_MS = 60 * 60 * 1000;

/** How long a backup in progress at a stop may take to be given up, before it is abandoned, in milliseconds. */
const STOP_MS = 5_000;

/**
 * Makes the backups of BACKUP_EVERY until the returned function is called, which gives up one in progress: one that
 * waits for a table or a storage no longer than a few seconds, for the rest of the site has to be stopped too. Does
 * nothing if it is not set.
 */
export function startBackups(firstLookMs = FIRST_LOOK_MS, stopMs = STOP_MS): () => Promise<void> {
  const every = env().BACKUP_EVERY;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> = Promise.resolve();
  const lookIn = (milliseconds: number, interval: number) => {
    timer = setTimeout(() => {
      run = backUpIfDue(interval, new Date(), stopping.signal).then((next) => {
        const wait = Math.min(Math.max(next.getTime() - Date.now(), 1_000), LONGEST_MS);
        if (!stopping.signal.aborted) lookIn(wait, interval);
      });
    }, milliseconds).unref();
  };
  if (every !== undefined) lookIn(firstLookMs, every);
  return async () => {
    clearTimeout(timer);
    stopping.abort();
    await pTimeout(run, { milliseconds: stopMs, message: false });
  };
}
