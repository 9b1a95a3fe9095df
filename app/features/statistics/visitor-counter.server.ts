import { createHash, randomBytes } from "node:crypto";
import { isbot } from "isbot";
import { log } from "~/observability/log.server";
import { ensureVisitorSalt, insertVisitorHashes } from "~db/queries/visitors";
import { utcDay } from "./utc-day";

/** The page under which those count who pressed the upgrade button. */
export const UPGRADE = "upgrade";

/** Time between two writes of what was counted, in milliseconds; a killed process loses no more than that. */
const INTERVAL_MS = 10_000;

/** Visits held in memory until they are written; beyond that they are not counted, as while the database is down. */
const MAX_WAITING = 50_000;

/** Rows of one statement. */
const BATCH = 5_000;

/** Browsers whose names are remembered as a program's or not: the pattern takes longer than a cached response. */
const MAX_KNOWN_BROWSERS = 2_000;

/** Of a hash; enough that two visitors of a day never share one. */
const HASH_BYTES = 12;

/** One page seen by one client. */
export type Visit = {
  /** The page's name in the metrics. */
  page: string;
  /** The client's address or, where one machine has many, its network. */
  client: string;
  /** The client's `User-Agent`; undefined for none. */
  userAgent: string | undefined;
};

/**
 * Counts visitors without cookies and without storing who they are: a client counts once a day for each page, by a
 * hash of its address and browser with a salt that is deleted the day after (docs/statistics.md). Programs that say
 * they are programs do not count.
 */
export class VisitorCounter {
  readonly #waiting = new Map<string, Visit>();
  readonly #programs = new Map<string, boolean>();
  #writing: Promise<void> = Promise.resolve();

  /** Never throws, and writes nothing by itself. */
  count(visit: Visit): void {
    if (this.#waiting.size >= MAX_WAITING || this.#isProgram(visit.userAgent)) return;
    this.#waiting.set(`${visit.page}\n${visit.client}\n${visit.userAgent}`, visit);
  }

  /** Writes what was counted since the last time. Never throws: what cannot be written waits for the next time. */
  write(now = new Date()): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting(utcDay(now)));
    return this.#writing;
  }

  /** Writes every ten seconds until the returned function is called, which writes the rest. */
  start(): () => Promise<void> {
    const timer = setInterval(() => void this.write(), INTERVAL_MS);
    timer.unref();
    return () => {
      clearInterval(timer);
      return this.write();
    };
  }

  async #writeWaiting(day: string): Promise<void> {
    if (this.#waiting.size === 0) return;
    try {
      const salt = await ensureVisitorSalt(day, randomBytes(32));
      while (this.#waiting.size > 0) {
        const batch = [...this.#waiting].slice(0, BATCH);
        const rows = batch.map(([, { page, client, userAgent }]) => ({
          page,
          hash: createHash("sha256")
            .update(salt)
            .update(`${client}\n${userAgent}`)
            .digest()
            .subarray(0, HASH_BYTES),
        }));
        await insertVisitorHashes(day, rows);
        for (const [key] of batch) this.#waiting.delete(key);
      }
    } catch (error) {
      log().warn({ err: error }, "visits could not be recorded; they are tried again");
    }
  }

  #isProgram(userAgent: string | undefined): boolean {
    if (userAgent === undefined) return true;
    let known = this.#programs.get(userAgent);
    if (known === undefined) {
      known = isbot(userAgent);
      if (this.#programs.size >= MAX_KNOWN_BROWSERS) this.#programs.clear();
      this.#programs.set(userAgent, known);
    }
    return known;
  }
}
