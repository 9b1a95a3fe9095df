import { OperatorError } from "~db/operator-error";

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?\s*(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;

/** Further ahead, a mistyped year is more likely than a plan. In milliseconds. */
const MAX_AHEAD_MS = 366 * 86_400_000;

/**
 * Parses `--at`: ISO 8601, with an offset or in local time. Throws an OperatorError for what `readStartTime` refuses.
 */
export function parseStartTime(text: string, now: Date): Date {
  const time = readStartTime(text, now);
  if (typeof time !== "string") return time;
  throw new OperatorError(
    `--at: ${time}; wanted a time as in 2026-12-06T08:00 (local) or 2026-12-06T08:00+01:00.`,
  );
}

/**
 * Reads when an issue starts: ISO 8601, with an offset or in local time. Returns why not for a time in the past, over a
 * year ahead, or one that does not exist, such as February 30 or an hour skipped by daylight saving time.
 */
export function readStartTime(text: string, now: Date): Date | string {
  const parts = TIME.exec(text.trim());
  if (!parts) return `found '${text}'`;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offset = parts[7];
  // without an offset, read as UTC only to check that the time exists
  const clock = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const time = offset
    ? new Date(clock.getTime() - offsetMs(offset))
    : new Date(year, month - 1, day, hour, minute, second);
  const shown = offset ? clock : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  const wanted = `${parts.slice(1, 4).join("-")}T${parts[4]}:${parts[5]}:${parts[6] ?? "00"}`;
  if (!shown.toISOString().startsWith(wanted)) return `there is no ${text}`;
  if (time.getTime() <= now.getTime()) return `${text} is in the past`;
  if (time.getTime() > now.getTime() + MAX_AHEAD_MS) return `${text} is over a year ahead`;
  return time;
}

function offsetMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  if (!sign) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Parses `--rate`: mails per second, with or without decimals. Throws an OperatorError. */
export function parseRate(text: string): number {
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(rate >= 0.01 && rate <= 10_000)) {
    throw new OperatorError(
      `--rate: found '${text}', wanted mails a second, from 0.01 to 10000, as in 20 or 0.5.`,
    );
  }
  return rate;
}
