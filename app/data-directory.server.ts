import { diskFull, explainDataDirectoryFailure, makeDataDirectory } from "~db/data-directory";
import { OperatorError } from "~db/operator-error";
import { env } from "./env.server";
import { log } from "./observability/log.server";

/**
 * Creates DATA_DIR if it is missing, closes it to other users, and returns its path. Everything that is stored in
 * it gets the path from here. Throws the file system's error.
 */
export function dataDirectory(): string {
  const { DATA_DIR } = env();
  makeDataDirectory(DATA_DIR, (message) => log().warn(message));
  return DATA_DIR;
}

/** How often the same failure is logged at most, in milliseconds. */
const REPORT_INTERVAL_MS = 600_000;

const reported = new Map<string, number>();

/**
 * Tells the operator in one line of the log why DATA_DIR cannot be written while the site runs, and what to do: a full
 * disk, a used-up quota, a file system that has become read-only. At most once in ten minutes for each cause, since
 * every request may meet it. Returns the sentence, or null for a failure of another kind.
 */
export function reportDataDirectoryFailure(error: unknown): string | null {
  // other codes concern a file in it
  const { code = "" } = error as NodeJS.ErrnoException;
  if (!/^(EROFS|EACCES|EPERM|ENOSPC|EDQUOT|EIO)$/.test(code)) return null;
  const explained = explainDataDirectoryFailure(env().DATA_DIR, error);
  if (!(explained instanceof OperatorError)) return null;
  reportOnce(explained.message);
  return explained.message;
}

/** PostgreSQL's code for a disk without room, for a statement that needs more of it. */
const PG_DISK_FULL = "53100";

/** As `reportDataDirectoryFailure`, for the code of a failed statement: whose disk is full depends on whose database it is. */
export function reportFullDatabase(code: string | undefined): void {
  if (code !== PG_DISK_FULL) return;
  const { DATABASE_URL, DATA_DIR } = env();
  reportOnce(
    DATABASE_URL
      ? "The disk of the database at DATABASE_URL is full, so nothing can be stored. Make room there."
      : diskFull(DATA_DIR).message,
  );
}

function reportOnce(sentence: string): void {
  const now = performance.now();
  if (now - (reported.get(sentence) ?? Number.NEGATIVE_INFINITY) < REPORT_INTERVAL_MS) return;
  reported.set(sentence, now);
  log().error({ summary: "disk" }, `${sentence} Logged at most once in ten minutes.`);
}
