import { statSync } from "node:fs";
import { env } from "~/env.server";
import type { BackupStore } from "~/features/backup/backup-store";
import { configuredBackupStores } from "~/features/backup/backup-stores.server";
import { type AreaFinding, ok, problem, warning } from "./finding";

const HOUR_MS = 60 * 60 * 1000;

/** How much later than due a backup may come: attempts that fail are repeated every quarter of an hour. */
const LEEWAY_MS = HOUR_MS;

/** Without BACKUP_EVERY somebody makes them by hand, or cron does. */
const BY_HAND_MS = 7 * 24 * HOUR_MS;

/** Whether backups are made, and how old the newest is in each place. */
export async function checkBackups(now = Date.now()): Promise<AreaFinding[]> {
  const { BACKUP_EVERY } = env();
  const stores = await configuredBackupStores();
  if (stores.length === 0) {
    return [
      warning(
        "place",
        "no backups are made",
        "Set BACKUP_DIR or BACKUP_S3_URL, and BACKUP_EVERY=1d: docs/backups.md.",
      ),
    ];
  }
  const findings = await Promise.all(stores.map((store) => checkStore(store, BACKUP_EVERY, now)));
  return [...findings, ...checkPlace(stores.length)];
}

async function checkStore(
  store: BackupStore,
  every: number | undefined,
  now: number,
): Promise<AreaFinding> {
  const what = store.label.split(" ")[0] ?? store.label;
  let newest: Date | undefined;
  try {
    newest = (await store.list()).at(-1)?.time;
  } catch (error) {
    return unreadable(what, error as Error);
  }
  const makeOne = "Run 'backup' now, and look in the site's log for 'the backup failed'.";
  if (!newest) {
    const found = "holds no backup yet";
    return every === undefined
      ? warning(what, found, "Run 'backup', or set BACKUP_EVERY=1d and restart the site.")
      : problem(what, found, `${makeOne} The first is made when the site starts.`);
  }
  const age = now - newest.getTime();
  const found = `the newest is ${spell(age)} old`;
  if (age < -HOUR_MS)
    return problem(
      what,
      "the newest is of the future",
      "Set this machine's clock, delete that backup, and run 'backup'.",
    );
  if (every === undefined) {
    return age <= BY_HAND_MS
      ? ok(what, found)
      : warning(what, found, "Run 'backup', or set BACKUP_EVERY=1d and restart the site.");
  }
  if (age <= every + LEEWAY_MS) return ok(what, found);
  return problem(what, `${found}, and one is due every ${spell(every)}`, makeOne);
}

/** A bucket's error says what to do itself, after a colon; a folder's is the file system's. */
function unreadable(what: string, { message }: Error): AreaFinding {
  const sentence = message.replace(/\s+/g, " ").replace(/\.$/, "");
  const [, found = sentence, advice] = /^(.*?): ((?:check|create|move) .*)$/.exec(sentence) ?? [];
  const folders = "Make it a folder that the site's user can read and write.";
  const buckets =
    "Compare its address with the provider's console, and look whether it can be reached from here.";
  const said = advice && `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
  return problem(
    what,
    `cannot be read: ${found}`,
    said ?? (what === "BACKUP_DIR" ? folders : buckets),
  );
}

/** Warns of a folder on the same disk as the data, which would be lost with it. */
function checkPlace(places: number): AreaFinding[] {
  const { BACKUP_DIR, DATA_DIR } = env();
  if (BACKUP_DIR === undefined || places > 1) return [];
  const [backups, data] = [BACKUP_DIR, DATA_DIR].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.dev,
  );
  if (backups === undefined || backups !== data) return [];
  return [
    warning(
      "place",
      "BACKUP_DIR is on the same disk as DATA_DIR",
      "Move it to another disk or machine, or set BACKUP_S3_URL as well.",
    ),
  ];
}

function spell(milliseconds: number): string {
  const hours = Math.round(milliseconds / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
