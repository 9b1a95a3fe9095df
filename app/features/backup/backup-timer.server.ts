import { env } from "~/env.server";
import { backUpIfDue } from "./due-backup.server";

/** The first look, once visitors are served, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/** The longest between two looks: somebody may have deleted backups meanwhile, in milliseconds. */
const LONGEST_MS = 60 * 60 * 1000;

/**
 * Makes the backups of BACKUP_EVERY until the returned function is called, which gives up one in progress. Does nothing
 * if it is not set.
 */
export function startBackups(firstLookMs = FIRST_LOOK_MS): () => Promise<void> {
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
    await run;
  };
}
