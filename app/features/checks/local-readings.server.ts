import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { judge, type Reading } from "./alerts.server";
import { diskOf, FREE_SHARE, readDiskSpace } from "./disk-space.server";

/** Timeout of a check, in milliseconds. */
const TIMEOUT_MS = 20_000;

/**
 * Identifies this site's DATA_DIR among those of other instances. Stable across restarts and containers with the same
 * volume: a hash of the folder's inode and birth time.
 */
export async function dataPlace(): Promise<string> {
  const { DATA_DIR } = env();
  // with an external database, it is created when something is first stored there
  const folder = await stat(DATA_DIR).catch(() => null);
  return shortHash(folder ? `${folder.ino} ${Math.round(folder.birthtimeMs)}` : DATA_DIR);
}

/** Identifies DATA_DIR and the machine: two machines sharing a DATA_DIR count their starts separately. */
export async function programPlace(): Promise<string> {
  return shortHash(`${await dataPlace()} ${hostname()}`);
}

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Returns a function that reads how full the disks of DATA_DIR and BACKUP_DIR are. It omits those that do not answer. */
export function diskReader(): () => Promise<Reading[]> {
  const [inTime, backupsInTime] = [timeLimited("DATA_DIR"), timeLimited("BACKUP_DIR")];
  return async () => {
    const { DATA_DIR, BACKUP_DIR } = env();
    const data = await inTime(async () => [await readDisk("DATA_DIR", DATA_DIR)]);
    if (!BACKUP_DIR) return data;
    // may be a network folder whose server is down
    const backups = await backupsInTime(async () =>
      (await isOnOtherDisk(BACKUP_DIR)) ? [await readDisk("BACKUP_DIR", BACKUP_DIR)] : [],
    );
    return [...data, ...backups];
  };
}

/** Whether a folder is on another disk than DATA_DIR; false if it does not exist yet, before the first backup. */
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
    return { state: judge(share < FREE_SHARE.low, share > FREE_SHARE.enough), facts, id: setting };
  } catch {
    return { state: "unknown", facts: { setting }, id: setting };
  }
}

/**
 * Returns a function that runs checks that may hang, such as on a network folder whose server is down. It returns
 * what the check finds; nothing if it times out, which is logged once. A check that times out keeps one of Node.js's
 * few file threads, so no other starts until it has ended.
 */
export function timeLimited(what: string, timeoutMs = TIMEOUT_MS) {
  let isHanging = false;
  const end = () => {
    isHanging = false;
  };
  return async <T>(check: () => Promise<T[]>): Promise<T[]> => {
    if (isHanging) return [];
    const running = check();
    return pTimeout(running, {
      milliseconds: timeoutMs,
      fallback: () => {
        isHanging = true;
        running.then(end, end);
        log().warn(`${what} does not answer; it is not looked at until it does`);
        return [];
      },
    });
  };
}
