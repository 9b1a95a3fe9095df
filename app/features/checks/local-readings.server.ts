import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { backupFailures } from "~/features/backup/backup-failures.server";
import type { BackupStore } from "~/features/backup/backup-store";
import { backupBucket, backupFolder } from "~/features/backup/backup-stores.server";
import { log } from "~/observability/log.server";
import { isBackupLate } from "./check-backups.server";
import { diskOf, readDiskSpace } from "./disk-space.server";
import { aboutMatter, judge, type MatterReading, type Reading } from "./matters.server";

const HOUR_MS = 60 * 60 * 1000;

/** Free shares of a disk: below the first it counts as nearly full, above the second no longer. */
const DISK = { bad: 0.1, good: 0.12 };

/** How often the bucket is asked for its backups, in milliseconds. */
const ASK_BUCKET_EVERY_MS = HOUR_MS;

/** How long after its start a process is given to make a backup that was missed, in milliseconds. */
const BACKUP_GRACE_MS = HOUR_MS;

/** Failures of the backup in a row, a quarter of an hour apart. */
const BACKUP_FAILURES = 2;

/** How long a check may take, in milliseconds. */
const TIMEOUT_MS = 20_000;

/**
 * Names this site's DATA_DIR among those of other instances, also after a restart or in another container with the same
 * volume: the folder's number and birth in its file system, as a hash.
 */
export async function dataPlace(): Promise<string> {
  const { DATA_DIR } = env();
  // with an external database it is made when something is first stored there
  const folder = await stat(DATA_DIR).catch(() => null);
  return shortHash(folder ? `${folder.ino} ${Math.round(folder.birthtimeMs)}` : DATA_DIR);
}

/** Names the machine too: two programs with one DATA_DIR do not count each other's starts. */
export async function programPlace(): Promise<string> {
  return shortHash(`${await dataPlace()} ${hostname()}`);
}

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** When the newest backup of a place was made; null if there is none. */
type Newest = Date | null | "unknown";

/** What one process can read of its machine. */
export class LocalReader {
  readonly #startedAt: number;
  readonly #data = new TimeLimitedCheck("DATA_DIR");
  readonly #backups = new TimeLimitedCheck("the backups' place");
  #bucketAskedAt = Number.NEGATIVE_INFINITY;
  #bucketNewest: Newest = "unknown";

  constructor(now = Date.now()) {
    this.#startedAt = now;
  }

  /** Reads the disks and the backups; what does not answer is left out. */
  async read(place: string, now: Date): Promise<MatterReading[]> {
    const { DATA_DIR, BACKUP_DIR } = env();
    const about = (kind: "disk-low" | "backup-late", reading: Reading) =>
      aboutMatter(kind, reading, place);
    const data = await this.#data.run(async () => [await readDisk("DATA_DIR", DATA_DIR)]);
    // perhaps a network folder whose machine is off
    const backups = await this.#backups.run(async () => [
      ...(BACKUP_DIR && (await isOnOtherDisk(BACKUP_DIR))
        ? [about("disk-low", await readDisk("BACKUP_DIR", BACKUP_DIR))]
        : []),
      ...(await this.#readBackups(now)).map((reading) => about("backup-late", reading)),
    ]);
    return [...data.map((reading) => about("disk-low", reading)), ...backups];
  }

  async #readBackups(now: Date): Promise<Reading[]> {
    const { BACKUP_EVERY: every, BACKUP_S3 } = env();
    if (every === undefined) return [];
    const folder = backupFolder();
    const newest = [
      ...(folder ? [await newestIn(folder)] : []),
      ...(BACKUP_S3 ? [await this.#newestInBucket(now)] : []),
    ];
    const known = newest.filter((time) => time !== "unknown");
    const isLate = known.some((time) => isBackupLate(time, every, now));
    const failures = backupFailures();
    const hadTime = now.getTime() - this.#startedAt > BACKUP_GRACE_MS;
    const isBad = (failures ?? 0) >= BACKUP_FAILURES || (isLate && hadTime);
    const isGood = known.length === newest.length && !isLate && failures === 0;
    const [oldest] = known.toSorted((one, other) => Number(one) - Number(other));
    const facts: Reading["facts"] = oldest ? { newest: oldest.toISOString() } : {};
    return [{ state: judge(isBad, isGood), facts }];
  }

  async #newestInBucket(now: Date): Promise<Newest> {
    if (now.getTime() - this.#bucketAskedAt >= ASK_BUCKET_EVERY_MS) {
      this.#bucketAskedAt = now.getTime();
      const bucket = await backupBucket().catch(() => null);
      this.#bucketNewest = bucket ? await newestIn(bucket) : "unknown";
    }
    return this.#bucketNewest;
  }
}

function newestIn(store: BackupStore): Promise<Newest> {
  return store.list().then(
    (all) => all.at(-1)?.time ?? null,
    () => "unknown",
  );
}

/** Whether a folder is on another disk than DATA_DIR; one that is not there yet is made with the first backup. */
async function isOnOtherDisk(folder: string): Promise<boolean> {
  const [data, other] = await Promise.all([diskOf(env().DATA_DIR), diskOf(folder)]);
  return data !== null && other !== null && data !== other;
}

async function readDisk(setting: string, folder: string): Promise<Reading> {
  try {
    const { share, bytes } = await readDiskSpace(folder);
    const facts = {
      setting,
      percent: Math.floor(share * 100),
      freeMb: Math.floor(bytes / 1e6),
    };
    return { state: judge(share < DISK.bad, share > DISK.good), facts, id: setting };
  } catch {
    return { state: "unknown", facts: { setting }, id: setting };
  }
}

/**
 * Runs checks that may hang, such as one of a network folder whose machine is off. A check that times out continues in
 * the background and occupies one of Node.js's few threads for files, so no other is started until it has ended.
 */
export class TimeLimitedCheck {
  #isHanging = false;

  constructor(
    private readonly what: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** What the check finds; nothing if it times out, which is logged once, or while an earlier one hangs. */
  async run<T>(check: () => Promise<T[]>): Promise<T[]> {
    if (this.#isHanging) return [];
    const running = check();
    return pTimeout(running, {
      milliseconds: this.timeoutMs,
      fallback: () => {
        this.#isHanging = true;
        const end = () => {
          this.#isHanging = false;
        };
        running.then(end, end);
        log().warn(`${this.what} does not answer; it is not looked at until it does`);
        return [];
      },
    });
  }
}
