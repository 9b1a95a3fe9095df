import { Gauge } from "prom-client";
import { hasDatabase } from "~db/client";
import { type Figure, readFigures } from "~db/queries/figures";

/** How long counted figures are exported before they are counted again, in milliseconds. */
const MAX_AGE_MS = 60_000;

/** All series, so that one without rows is exported as 0 and does not vanish. */
const SERIES: Record<Figure["figure"], { help: string; lanes: string[]; states: string[] }> = {
  mails: {
    help: "Mails of all instances that are not sent: due, due later, being sent, or failed within 7 days",
    lanes: ["transactional", "campaign"],
    states: ["due", "deferred", "sending", "failed"],
  },
  accounts: {
    help: "Accounts by whether their address is confirmed",
    lanes: [""],
    states: ["confirmed", "unconfirmed"],
  },
  members: {
    help: "Memberships: renewing, ending or unpaid with access, or withdrawn after a refund or dispute",
    lanes: [""],
    states: ["renewing", "ending", "unpaid", "withdrawn"],
  },
  subscribers: {
    help: "The newsletter's list: confirmed addresses get it, unconfirmed and suppressed ones do not",
    lanes: [""],
    states: ["confirmed", "unconfirmed", "suppressed"],
  },
};

let counted: { at: number; figures: Figure[] } | null = null;
let counting: Promise<void> | null = null;

/**
 * Exports the numbers of mails, accounts, members and subscribers in `/metrics`. They are counted when scraped and at
 * most once a minute; while that takes too long or fails, the last ones are exported for ten minutes, then none.
 */
export function exposeFigures(): void {
  for (const [figure, { help, lanes, states }] of Object.entries(SERIES)) {
    new Gauge({
      name: `${figure}_count`,
      help,
      labelNames: lanes.length > 1 ? ["lane", "state"] : ["state"],
      async collect() {
        const figures = await currentFigures();
        this.reset();
        if (!figures) return;
        for (const lane of lanes) {
          for (const state of states) {
            const found = figures.find(
              (row) => row.figure === figure && row.lane === lane && row.state === state,
            );
            this.set(lanes.length > 1 ? { lane, state } : { state }, found?.count ?? 0);
          }
        }
      },
    });
  }
}

const FORGET_AFTER_MS = 10 * MAX_AGE_MS;

let triedAt = Number.NEGATIVE_INFINITY;

async function currentFigures(): Promise<Figure[] | null> {
  if (counting || performance.now() - triedAt > MAX_AGE_MS) {
    // the gauges of all concurrent scrapes share one count
    counting ??= count().finally(() => {
      counting = null;
    });
    await counting;
  }
  return counted && performance.now() - counted.at < FORGET_AFTER_MS ? counted.figures : null;
}

async function count(): Promise<void> {
  // a count that fails, such as one that takes too long, is not repeated with every scrape
  triedAt = performance.now();
  if (!hasDatabase()) return;
  // a database that is down or slow must not fail the scrape
  const figures = await readFigures().catch(() => null);
  if (figures) counted = { at: performance.now(), figures };
}
