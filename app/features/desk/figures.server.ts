import pTimeout from "p-timeout";
import { currentEdition } from "~/features/library/current-edition.server";
import { readStatistics, withOwnConnection } from "~/features/statistics/read-statistics.server";
import { monthAfter, monthsBetween, utcMonth } from "~/features/statistics/utc-day";
import { countLetterResults, countTextReaders, findFirstDay } from "~db/queries/statistics";

/** For how many times as long as counting them took figures are shown, so that counting never keeps the database busy. */
const SHOWN_FACTOR = 20;

/** How long a page waits for figures that are being counted, in milliseconds. */
const WAIT_MS = 8_000;

/** Most months before the last one, as on the command line; and most letters and texts in a table. */
const MAX_MONTHS = 120;
const MAX_ROWS = 100;

/** The first and the last month, such as `2026-11`. */
export type MonthRange = { first: string; last: string };

export type Figures = Awaited<ReturnType<typeof count>>;

const counted = new Map<string, { until: number; figures: Promise<Figures> }>();
let turn: Promise<unknown> = Promise.resolve();

/** The current month and the `months` before it. */
export function lastMonths(months: number, now = new Date()): MonthRange {
  return { first: monthAfter(utcMonth(now), -months), last: utcMonth(now) };
}

/** Returns the months from one to another, by default the last year's; null unless they are at most ten years, none in the future. */
export function readRange(asked: URLSearchParams, now = new Date()): MonthRange | null {
  const usual = lastMonths(12, now);
  const { first, last } = {
    first: asked.get("from") || usual.first,
    last: asked.get("to") || usual.last,
  };
  const areMonths = [first, last].every((month) => /^\d{4}-(0[1-9]|1[0-2])$/.test(month));
  if (!areMonths || first > last || last > usual.last) return null;
  return first < monthAfter(last, -MAX_MONTHS) ? null : { first, last };
}

/**
 * Returns the figures of a range, counted a moment ago; null if counting them takes longer than a page may wait. It then goes on,
 * one range at a time, on a connection of its own. Throws PostgreSQL's errors.
 */
export function recentFigures({ first, last }: MonthRange): Promise<Figures | null> {
  for (const [key, { until }] of counted) if (until < performance.now()) counted.delete(key);
  const key = `${first} ${last}`;
  const figures = counted.get(key)?.figures ?? inTurn(first, last);
  return pTimeout<Figures, null>(figures, { milliseconds: WAIT_MS, fallback: () => null });
}

function inTurn(first: string, last: string): Promise<Figures> {
  const key = `${first} ${last}`;
  const figures = turn.then(async () => {
    const startedAt = performance.now();
    try {
      return await count(first, last);
    } finally {
      const now = performance.now();
      counted.set(key, { until: now + SHOWN_FACTOR * (now - startedAt), figures });
    }
  });
  counted.set(key, { until: Number.POSITIVE_INFINITY, figures });
  turn = figures.catch(() => {});
  return figures;
}

async function count(first: string, last: string) {
  const months = monthsBetween(first, last).length - 1;
  const [statistics, letters, readers, firstDay] = await withOwnConnection((executor) =>
    Promise.all([
      readStatistics(months, new Date(), executor, last),
      countLetterResults(MAX_ROWS, executor),
      countTextReaders(MAX_ROWS, executor),
      findFirstDay(executor),
    ]),
  );
  const titles = new Map(
    currentEdition()
      ?.all()
      .map(({ id, title }) => [id, title]),
  );
  const texts = readers.map((text) => ({ ...text, title: titles.get(text.slug) ?? text.slug }));
  const start = monthAfter(last, -MAX_MONTHS);
  const firstMonth = firstDay && firstDay > start ? firstDay.slice(0, 7) : start;
  return { statistics, letters, texts, firstMonth };
}
