import { createHash } from "node:crypto";
import { stat, statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { env } from "~/env.server";
import { backupFailures } from "~/features/backup/backup-failures.server";
import { backupBucket, backupFolder } from "~/features/backup/backup-stores.server";
import { editionState } from "~/features/library/importer/edition-state.server";
import type { Observation } from "./judge-matter";
import { TimeLimitedCheck } from "./time-limited-check.server";

const HOUR_MS = 60 * 60 * 1000;

/** Free shares of a disk: below the first it counts as nearly full, above the second no longer. */
const DISK = { bad: 0.1, good: 0.12 };

/** How often the bucket is asked for its backups, in milliseconds. */
const ASK_BUCKET_EVERY_MS = HOUR_MS;

/** How long after its start a process is given to make a backup that was missed, in milliseconds. */
const BACKUP_GRACE_MS = HOUR_MS;

/** Failures of the backup in a row, a quarter of an hour apart. */
const BACKUP_FAILURES = 2;

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

/** What one process can observe of its machine. */
export class LocalObserver {
  readonly #startedAt: number;
  readonly #data = new TimeLimitedCheck("DATA_DIR");
  readonly #backups = new TimeLimitedCheck("the backups' place");
  #bucketAskedAt = Number.NEGATIVE_INFINITY;
  #bucketNewest: Date | null | "unknown" = "unknown";

  constructor(now = Date.now()) {
    this.#startedAt = now;
  }

  async observe(place: string, now: Date): Promise<Observation[]> {
    return [
      ...(await this.#data.run(() => observeDataDisk(place))),
      // perhaps a network folder whose machine is off
      ...(await this.#backups.run(async () => [
        ...(await observeBackupDisk(place)),
        ...(await this.#observeBackups(place, now)),
      ])),
      edition(place),
    ];
  }

  async #observeBackups(place: string, now: Date): Promise<Observation[]> {
    const every = env().BACKUP_EVERY;
    if (every === undefined) return [];
    const newest: (Date | null | "unknown")[] = [];
    const folder = backupFolder();
    if (folder) {
      newest.push(
        await folder.list().then(
          (all) => all.at(-1)?.time ?? null,
          () => "unknown",
        ),
      );
    }
    if (env().BACKUP_S3) newest.push(await this.#newestInBucket(now));
    const known = newest.filter((time) => time !== "unknown");
    const isLate = known.some((time) => ageOf(time, now) > every + Math.max(HOUR_MS, every / 4));
    const failures = backupFailures();
    const hadTime = now.getTime() - this.#startedAt > BACKUP_GRACE_MS;
    const isBad = (failures ?? 0) >= BACKUP_FAILURES || (isLate && hadTime);
    const isGood = known.length === newest.length && !isLate && failures === 0;
    const oldest = known.toSorted((one, other) => ageOf(other, now) - ageOf(one, now))[0];
    return [
      {
        kind: "backup-late",
        key: `backup-late:${place}`,
        state: isBad ? "bad" : isGood ? "good" : "unknown",
        facts: oldest ? { newest: oldest.toISOString() } : {},
      },
    ];
  }

  async #newestInBucket(now: Date): Promise<Date | null | "unknown"> {
    const isDue = now.getTime() - this.#bucketAskedAt >= ASK_BUCKET_EVERY_MS;
    if (!isDue) return this.#bucketNewest;
    this.#bucketAskedAt = now.getTime();
    this.#bucketNewest = await backupBucket()
      .then((bucket) => bucket?.list() ?? [])
      .then((all) => all.at(-1)?.time ?? null)
      .catch(() => "unknown" as const);
    return this.#bucketNewest;
  }
}

const ageOf = (time: Date | null, now: Date) =>
  time === null ? Number.POSITIVE_INFINITY : now.getTime() - time.getTime();

async function observeDataDisk(place: string): Promise<Observation[]> {
  return [await observeDisk("DATA_DIR", env().DATA_DIR, place)];
}

async function observeBackupDisk(place: string): Promise<Observation[]> {
  const { DATA_DIR, BACKUP_DIR } = env();
  if (!BACKUP_DIR || (await areOnOneDisk(DATA_DIR, BACKUP_DIR))) return [];
  return [await observeDisk("BACKUP_DIR", BACKUP_DIR, place)];
}

async function observeDisk(setting: string, folder: string, place: string): Promise<Observation> {
  const key = `disk-low:${setting}:${place}`;
  try {
    const { bavail, bfree, blocks, bsize } = await statfs(folder);
    // as df counts: blocks reserved for root are neither free nor used
    const free = bavail / Math.max(1, blocks - bfree + bavail);
    const state = free < DISK.bad ? "bad" : free > DISK.good ? "good" : "unknown";
    const facts = {
      setting,
      percent: Math.floor(free * 100),
      freeMb: Math.floor((bavail * bsize) / 1e6),
    };
    return { kind: "disk-low", key, state, facts };
  } catch {
    return { kind: "disk-low", key, state: "unknown", facts: { setting } };
  }
}

async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  // a folder that is not there yet is made with the first backup
  return !here || !there || here.dev === there.dev;
}

function edition(place: string): Observation {
  const state = editionState();
  return {
    kind: "edition-not-taken",
    key: `edition-not-taken:${place}`,
    state: state === "unknown" ? "unknown" : state === "taken" ? "good" : "bad",
    facts: {},
  };
}
