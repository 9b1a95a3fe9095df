import { createHash, randomBytes } from "node:crypto";
import { isbot } from "isbot";
import { log } from "~/observability/log.server";
import { ensureVisitorSalt, insertVisitorHashes } from "~db/queries/visitors";
import { utcDay } from "./utc-day";

/** Page name under which presses of the upgrade button count. */
export const UPGRADE = "upgrade";

/** Interval between writes, in milliseconds. A killed process loses at most that much. */
const INTERVAL_MS = 10_000;

/** Maximum visits held in memory until they are written. Others do not count, as while the database is down. */
const MAX_WAITING = 50_000;

/** Maximum visits that a process records per day, some 300 MB, so clients that invent browsers cannot fill the disk. */
const MAX_A_DAY = 5_000_000;

/** Maximum rows per statement. */
const BATCH = 5_000;

/** Maximum length of a browser's name. Headers may have 16 KB, and many visits wait in memory. */
const MAX_NAME = 256;

/** Bytes kept of a hash; enough that two visitors of a day never share one. */
const HASH_BYTES = 12;

/** One page seen by one client. */
export type Visit = {
  /** The page's name in the metrics. */
  page: string;
  /** The client's address or, where one machine has many, its network. */
  client: string;
  /** The client's `User-Agent`; undefined if absent. */
  userAgent: string | undefined;
};

/**
 * Counts visitors without cookies or storing who they are. A client counts once a day per page, by a hash of its
 * address and browser. The hash's salt is deleted the next day (docs/members.md). Declared bots, and clients without a
 * User-Agent, do not count.
 */
export class VisitorCounter {
  /** Page, client and browser, each on a line: equal for equal visits, and detached from the request's headers. */
  readonly #waiting = new Set<string>();
  /** Number of visits recorded on the last day that had any. */
  #recorded = { day: "", visits: 0 };
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly maxADay = MAX_A_DAY) {}

  /** Counts a visit in memory. Never throws. */
  count({ page, client, userAgent }: Visit): void {
    // a copy: a slice would keep the whole header in memory; headers are Latin-1
    const name =
      userAgent && Buffer.from(userAgent.slice(0, MAX_NAME), "latin1").toString("latin1");
    if (this.#waiting.size >= MAX_WAITING || name === undefined || isbot(name)) return;
    this.#waiting.add(`${page}\n${client}\n${name}`);
  }

  /** Writes the visits since the last write. Never throws: visits that cannot be written wait for the next one. */
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
