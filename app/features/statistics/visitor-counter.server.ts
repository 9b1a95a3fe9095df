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

/**
 * Visits that one process records in a day, so that somebody who invents browsers cannot fill the disk: some 300 MB,
 * until the day is over.
 */
const MAX_A_DAY = 5_000_000;

/** Rows of one statement. */
const BATCH = 5_000;

/** Characters of a browser's name that count: a header may have 16 KB, and many visits wait in memory. */
const MAX_NAME = 256;

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
 * hash of its address and browser with a salt that is deleted the day after (docs/members.md). Programs that say
 * they are programs do not count.
 */
export class VisitorCounter {
  /** Page and client, each on a line: the same for the same visit, and without the headers it came from. */
  readonly #waiting = new Set<string>();
  /** How many visits were recorded on the last day that had any. */
  #recorded = { day: "", visits: 0 };
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly maxADay = MAX_A_DAY) {}

  /** Never throws, and writes nothing by itself. */
  count({ page, client, userAgent }: Visit): void {
    // a copy: a slice would keep the whole header in memory; headers are Latin-1
    const name =
      userAgent && Buffer.from(userAgent.slice(0, MAX_NAME), "latin1").toString("latin1");
    if (this.#waiting.size >= MAX_WAITING || name === undefined || isbot(name)) return;
    this.#waiting.add(`${page}\n${client}\n${name}`);
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
    if (this.#recorded.day !== day) this.#recorded = { day, visits: 0 };
    try {
      const salt = await ensureVisitorSalt(day, randomBytes(32));
      while (this.#waiting.size > 0) {
        if (this.#recorded.visits >= this.maxADay) return this.#waiting.clear();
        const batch = [...this.#waiting].slice(0, BATCH);
        const rows = batch.map((visit) => {
          const [page = "", ...client] = visit.split("\n");
          const hash = createHash("sha256").update(salt).update(client.join("\n")).digest();
          return { page, hash: hash.subarray(0, HASH_BYTES) };
        });
        await insertVisitorHashes(day, rows);
        this.#recorded.visits += batch.length;
        for (const visit of batch) this.#waiting.delete(visit);
      }
    } catch (error) {
      log().warn({ err: error }, "visits could not be recorded; they are tried again");
    }
  }
}
