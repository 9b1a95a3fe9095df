import pTimeout from "p-timeout";
import { currentEdition } from "~/features/library/current-edition.server";
import { readStatistics, withOwnConnection } from "~/features/statistics/read-statistics.server";
import { monthAfter, monthsBetween, utcMonth } from "~/features/statistics/utc-day";
import type { Executor } from "~db/client";
import { countLetterResults, countTextReaders } from "~db/queries/statistics";

/** For how many times as long as counting them took figures are shown, so that counting never keeps the database busy. */
const SHOWN_FACTOR = 20;

/** How long a page waits for figures that are being counted, in milliseconds. */
const WAIT_MS = 8_000;

/** Most months before the last one, as on the command line; and most letters and texts in a table. */
const MAX_MONTHS = 120;
const MAX_ROWS = 100;

/** The first and the last month, such as `2026-11`. */
export type MonthRange = { first: string; last: string };

const counted = new Map<string, { until: number; figures: Promise<unknown> }>();
let turn: Promise<unknown> = Promise.resolve();

/** The current month and the twelve before it. */
export function lastYear(now = new Date()): MonthRange {
  return { first: monthAfter(utcMonth(now), -12), last: utcMonth(now) };
}

/** Returns the months from one to another, by default the last year's; null unless they are at most ten years, none in the future. */
export function readRange(asked: URLSearchParams, now = new Date()): MonthRange | null {
  const usual = lastYear(now);
  const first = asked.get("from") || usual.first;
  const last = asked.get("to") || usual.last;
  const areMonths = [first, last].every((month) => /^\d{4}-(0[1-9]|1[0-2])$/.test(month));
  if (!areMonths || first > last || last > usual.last) return null;
  return first < monthAfter(last, -MAX_MONTHS) ? null : { first, last };
}

/** Returns the statistics of a range; null while they are counted. Throws PostgreSQL's errors. */
export const recentStatistics = ({ first, last }: MonthRange) =>
  recent(`${first} ${last}`, (executor) =>
    readStatistics(monthsBetween(first, last).length - 1, new Date(), executor, last),
  );

/** Returns the results of the letters and the texts most read; null while they are counted. Throws PostgreSQL's errors. */
export const recentLetters = () =>
  recent("letters", async (executor) => {
    const letters = await countLetterResults(MAX_ROWS, executor);
    const readers = await countTextReaders(MAX_ROWS, executor);
    const entries = currentEdition()?.all() ?? [];
    const titles = new Map(entries.map(({ id, title }) => [id, title]));
    const texts = readers.map((text) => ({ ...text, title: titles.get(text.slug) ?? text.slug }));
    return { letters, texts };
  });

/**
 * Returns what was counted a moment ago, or counts it: one thing at a time, on a connection of its own. Null if that takes longer
 * than a page may wait; it then goes on.
 */
function recent<T>(key: string, count: (executor: Executor) => Promise<T>): Promise<T | null> {
  for (const [old, { until }] of counted) if (until < performance.now()) counted.delete(old);
  const figures = (counted.get(key)?.figures as Promise<T>) ?? countInTurn(key, count);
  return pTimeout<T, null>(figures, { milliseconds: WAIT_MS, fallback: () => null });
}

function countInTurn<T>(key: string, count: (executor: Executor) => Promise<T>): Promise<T> {
  const figures = turn.then(async () => {
    const startedAt = performance.now();
    try {
      return await withOwnConnection(count);
    } finally {
      const now = performance.now();
      counted.set(key, { until: now + SHOWN_FACTOR * (now - startedAt), figures });
    }
  });
  counted.set(key, { until: Number.POSITIVE_INFINITY, figures });
  turn = figures.catch(() => {});
  return figures;
}
