import { utimesSync } from "node:fs";
import { readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { explainDataDirectoryFailure } from "../data-directory";
import { OperatorError } from "../operator-error";

const BEAT_INTERVAL_MS = 1_000;
/** Without a beat within this time, the other program is considered dead. */
const WATCH_MS = 4 * BEAT_INTERVAL_MS;
/** A beat older than this is stale even if the two machines' clocks differ. */
const STALE_MS = 60_000;

/**
 * Tells other machines and containers that mount the same DATA_DIR that it is in use: a file whose
 * modification time is updated every second. PostgreSQL's own lock file holds a process id, which means
 * nothing outside this machine or container, and two servers on one data directory corrupt it.
 */
export type Heartbeat = {
  /** Stops the heartbeat; with `last` the file is removed, so that the next start need not watch it. */
  stop: (last: boolean) => Promise<void>;
};

/** Starts the heartbeat. Throws an OperatorError if another machine or container has one running. */
export async function startHeartbeat(dataDir: string): Promise<Heartbeat> {
  const file = join(dataDir, "postgres.host");
  const self = await pidScope();
  const other = await readFile(file, "utf8").catch(() => null);
  if (other !== null && other !== self && (await isBeating(file))) {
    throw new OperatorError(
      `DATA_DIR ${dataDir} is in use by a program on another machine or in another container (${other.split(" ")[0]}): stop it first, or choose another DATA_DIR.`,
    );
  }
  if (other !== self) await write(dataDir, file, self);
  const beat = () => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch (error) {
      // Another program on this host took itself for the last user and removed it.
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        void write(dataDir, file, self).catch(() => {});
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_INTERVAL_MS);
  timer.unref();
  return {
    stop: async (last) => {
      clearInterval(timer);
      if (last) await rm(file, { force: true });
    },
  };
}

async function write(dataDir: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw explainDataDirectoryFailure(dataDir, error);
  }
}

async function isBeating(file: string): Promise<boolean> {
  const before = (await stat(file)).mtimeMs;
  if (Date.now() - before > STALE_MS) return false;
  await sleep(WATCH_MS);
  const after = await stat(file).catch(() => null);
  return after !== null && after.mtimeMs !== before;
}

/** Identifies the scope of process ids: the machine, and on Linux the container. */
async function pidScope(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${namespace}`.trim();
}
