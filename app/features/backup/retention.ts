const DAY_MS = 24 * 60 * 60 * 1000;

/** How many days, weeks and months keep one backup each, counting only those that have one. */
const KEPT = { days: 7, weeks: 5, months: 12 };

/** The names of the day, the week and the month of a time (UTC). Weeks begin on Monday. */
const PERIODS: [keyof typeof KEPT, (time: Date) => string][] = [
  ["days", (time) => time.toISOString().slice(0, 10)],
  ["weeks", mondayOf],
  ["months", (time) => time.toISOString().slice(0, 7)],
];

/**
 * The times of the backups that may go: all but those of the last 24 hours, and the last one of each of the last 7
 * days, 5 weeks and 12 months that have any. Periods without a backup do not count, so nothing goes because the site
 * was off, and the newest is always kept. Those dated in the future, because of a wrong clock, are kept too.
 */
export function expiredBackups(times: readonly Date[], now: Date): Date[] {
  const newestFirst = times.toSorted((one, other) => other.getTime() - one.getTime());
  const past = newestFirst.filter((time) => time <= now);
  const kept = new Set(past.filter((time) => now.getTime() - time.getTime() < DAY_MS));
  for (const [unit, nameOf] of PERIODS) {
    const seen = new Set<string>();
    for (const time of past) {
      const period = nameOf(time);
      if (seen.has(period) || seen.size >= KEPT[unit]) continue;
      seen.add(period);
      kept.add(time);
    }
  }
  return past.filter((time) => !kept.has(time));
}

function mondayOf(time: Date): string {
  const sinceMonday = (time.getUTCDay() + 6) % 7;
  return new Date(time.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}
