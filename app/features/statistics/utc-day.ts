/** Returns the day of a time in UTC, such as `2026-11-23`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the month of a time in UTC, such as `2026-11`. */
export const utcMonth = (at: Date): string => at.toISOString().slice(0, 7);

/** Returns the months from one to another, both included; empty if the first is later. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month, 1)) months.push(month);
  return months;
}

/** Returns the month that is `count` months after another, or before it if negative. */
export function monthAfter(month: string, count: number): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  return utcMonth(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + count)));
}
