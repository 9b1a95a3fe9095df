import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { isBackupLate } from "~/features/backup/backup-state.server";
import type { BackupStore } from "~/features/backup/backup-store";
import { configuredBackupStores } from "~/features/backup/backup-stores.server";
import { utcDateTime } from "./alerts.server";
import { type Answer, ok, problem, warning } from "./answer";
import { diskOf } from "./disk-space.server";

const HOUR_MS = 60 * 60 * 1000;

/** Maximum age of backups that are made by hand or by cron, without BACKUP_EVERY. */
const BY_HAND_MS = 7 * 24 * HOUR_MS;

/** How long a place may take to list its backups for the letter, in milliseconds. */
const LETTER_TIMEOUT_MS = 60_000;

/** Checks whether backups are made, and how old the newest is in each place. */
export async function checkBackups(): Promise<Answer[]> {
  const stores = await configuredBackupStores();
  if (stores.length === 0) {
    const advice = "Set BACKUP_DIR or BACKUP_S3_URL, and BACKUP_EVERY=1d: docs/operating.md.";
    return [warning("place", "no backups are made", advice)];
  }
  const answers = await Promise.all(stores.map(checkStore));
  const { BACKUP_DIR, DATA_DIR } = env();
  const disk = BACKUP_DIR === undefined || stores.length > 1 ? null : await diskOf(BACKUP_DIR);
  if (disk === null || disk !== (await diskOf(DATA_DIR))) return answers;
  const found = "BACKUP_DIR is on the same disk as DATA_DIR";
  const advice = "Move it to another disk or machine, or set BACKUP_S3_URL as well.";
  return [...answers, warning("place", found, advice)];
}

async function checkStore(store: BackupStore): Promise<Answer> {
  const { BACKUP_EVERY: every } = env();
  const what = nameOf(store);
  const newest = await store.list().then(
    (backups) => backups.at(-1)?.time ?? null,
    (error: Error) => error,
  );
  if (newest instanceof Error) return unreadable(what, newest);
  const makeOne = "Run 'backup' now, and check the site's log for 'the backup failed'.";
  const byHand = "Run 'backup', or set BACKUP_EVERY=1d and restart the site.";
  if (!newest) {
    const found = "has no backup yet";
    return every === undefined
      ? warning(what, found, byHand)
      : problem(what, found, `${makeOne} The first is made when the site starts.`);
  }
  const now = new Date();
  const age = now.getTime() - newest.getTime();
  const found = `the newest is ${spell(age)} old`;
  if (age < -HOUR_MS) {
    const advice = "Set this machine's clock, delete that backup, and run 'backup'.";
    return problem(what, "the newest is from the future", advice);
  }
  if (every === undefined && age > BY_HAND_MS) return warning(what, found, byHand);
  if (every === undefined || !isBackupLate(newest, every, now)) return ok(what, found);
  return problem(what, `${found}, and one is due every ${spell(every)}`, makeOne);
}

/** A bucket's error includes its advice after a colon. A folder's error comes from the file system. */
function unreadable(what: string, { message }: Error): Answer {
  const sentence = message.replace(/\s+/g, " ").replace(/\.$/, "");
  const [, found = sentence, advice] = /^(.*?): ((?:check|create|move) .*)$/.exec(sentence) ?? [];
  const ownAdvice =
    what === "BACKUP_DIR"
      ? "Make it a folder that the site's user can read and write."
      : "Compare its address with the provider's console, and check that it can be reached from here.";
  const said = advice && `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
  return problem(what, `cannot be read: ${found}`, said ?? ownAdvice);
}

function spell(milliseconds: number): string {
  const hours = Math.round(milliseconds / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Returns the name of the setting that configures a place. */
const nameOf = ({ label }: BackupStore) => label.split(" ")[0] ?? label;

/** Describes the backups in a few sentences, for the monthly letter. */
export async function describeBackups(): Promise<string> {
  const stores = await configuredBackupStores();
  if (stores.length === 0) {
    return "No automatic backups: set BACKUP_DIR and BACKUP_EVERY (docs/operating.md).";
  }
  const sentences = await Promise.all(stores.map(describeStore));
  if (env().BACKUP_EVERY === undefined) {
    sentences.push("BACKUP_EVERY isn't set, so none are made automatically.");
  }
  return sentences.join(" ");
}

async function describeStore(store: BackupStore): Promise<string> {
  const where = nameOf(store);
  const listed = pTimeout(store.list(), { milliseconds: LETTER_TIMEOUT_MS });
  const backups = await listed.catch(() => null);
  if (!backups) return `The backups in ${where} couldn't be read.`;
  const newest = backups.at(-1);
  if (!newest) return `There is no backup in ${where} yet.`;
  const size = (newest.bytes / 1e6).toFixed(1);
  return `The newest of ${backups.length} backups in ${where} is from ${utcDateTime(newest.time)} and has ${size} MB.`;
}
