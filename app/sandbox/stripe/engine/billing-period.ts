/** The interval of a recurring price. */
export type Interval = { interval: string; interval_count: number };

/**
 * Returns the end of the period that follows one ending at `end`, both in Unix seconds. As at Stripe, months keep the
 * day of the month of `anchor`, or end on the last day of a shorter month.
 */
export function nextPeriodEnd(end: number, anchor: number, recurring: Interval): number {
  const count = recurring.interval_count;
  if (recurring.interval === "day") return end + count * 86_400;
  if (recurring.interval === "week") return end + count * 7 * 86_400;
  const months = recurring.interval === "year" ? count * 12 : count;
  const from = new Date(end * 1000);
  const day = new Date(anchor * 1000).getUTCDate();
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const date = Date.UTC(year, month, Math.min(day, lastDay));
  return date / 1000 + (end % 86_400);
}
