import { utimesSync } from "node:fs";
import { open, readFile, readlink, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { explainDataDirectoryFailure } from "../data-directory";
import { OperatorError } from "../operator-error";

const BEAT = 1_000;
/** A heart that is watched for this long without a beat has stopped. */
const WATCH = 4 * BEAT;
/** A beat this old is not worth watching, however far apart two machines' clocks are. */
const STALE = 60_000;

/**
 * Shows to other machines and containers that mount the same DATA_DIR that it is in use here: a file
 * whose time is renewed every second. PostgreSQL's own lock file holds a process id, which says
 * nothing outside this machine or container, and two servers on one data directory destroy it.
 */
export type Heartbeat = {
  /** Ends the sign of life; with `last` the file goes too, so that the next start need not watch it. */
  stop: (last: boolean) => Promise<void>;
};

/** Starts the sign of life. Throws an OperatorError if another machine or container gives one. */
export async function startHeartbeat(dataDir: string): Promise<Heartbeat> {
  const file = join(dataDir, "postgres.host");
  const self = await placeName();
  const other = await readFile(file, "utf8").catch(() => null);
  if (other !== null && other !== self && (await beats(file))) {
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
      // A program here that took itself for the last one removed it.
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        void write(dataDir, file, self).catch(() => {});
    }
  };
  beat();
  const timer = setInterval(beat, BEAT);
  timer.unref();
  return {
    stop: async (last) => {
      clearInterval(timer);
      if (last) await rm(file, { force: true });
    },
  };
}

async function write(dataDir: string, file: string, text: string): Promise<void> {
  const handle = await open(file, "w", 0o600).catch((error) => {
    throw explainDataDirectoryFailure(dataDir, error);
  });
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

async function beats(file: string): Promise<boolean> {
  const before = (await stat(file)).mtimeMs;
  if (Date.now() - before > STALE) return false;
  await sleep(WATCH);
  const after = await stat(file).catch(() => null);
  return after !== null && after.mtimeMs !== before;
}

/** Names where process ids mean the same: the machine, and on Linux its container. */
async function placeName(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${namespace}`.trim();
}
