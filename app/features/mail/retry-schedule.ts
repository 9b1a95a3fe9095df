const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Delays before each further attempt in milliseconds, by the reason of the last failure. Unlimited schedules repeat
 * their last delay. All end when the mail expires.
 */
const SCHEDULES = {
  /** Temporarily refused. Greylisting accepts a mail after one to fifteen minutes. */
  refused: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  /** The connection was lost, but the server did not refuse the mail. */
  lost: [5 * SECOND_MS, 30 * SECOND_MS, 3 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS],
  /** The mailbox is full: three more attempts within a day. */
  "mailbox-full": [2, 6, 15].map((hours) => hours * HOUR_MS),
  /** Sent without a reply. A server may still be busy with it after ten minutes (RFC 5321, 4.5.3.2.6). */
  unanswered: [15 * MINUTE_MS, HOUR_MS],
} as const;

/** Schedules that end: the mail fails after the attempt that follows the last delay. */
const LIMITED: ReadonlySet<string> = new Set(["mailbox-full", "unanswered"]);

/** Jitter in either direction, so mails refused together are not retried together. */
const JITTER = 0.2;

/**
 * Returns milliseconds until the next attempt, or null if the mail is given up. `earlier` counts previous attempts of
 * this kind, without the one that just failed. `random` is from 0 to 1.
 */
export function retryDelayMs(
  reason: keyof typeof SCHEDULES,
  earlier: number,
  random: number,
): number | null {
  const schedule = SCHEDULES[reason];
  const delay = schedule[earlier] ?? (LIMITED.has(reason) ? null : schedule.at(-1));
  if (delay === null || delay === undefined) return null;
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}
