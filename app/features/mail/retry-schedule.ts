const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Delays before each further attempt, in milliseconds, by why the last one failed; the last is repeated where
 * attempts are not limited. All of them end when the mail expires.
 */
const SCHEDULES = {
  /** Refused for now. Greylisting lets a mail through after one to fifteen minutes. */
  refused: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  /** The connection was lost, but nobody objected to the mail. */
  lost: [5 * SECOND_MS, 30 * SECOND_MS, 3 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS],
  /** The mailbox is full: three more tries within a day. */
  "mailbox-full": [2, 6, 15].map((hours) => hours * HOUR_MS),
  /** Sent without an answer: a server may still be busy with it after ten minutes (RFC 5321, 4.5.3.2.6). */
  unanswered: [15 * MINUTE_MS, HOUR_MS],
} as const;

/** Schedules that end: after the last delay's attempt the mail has failed. */
const LIMITED: ReadonlySet<string> = new Set(["mailbox-full", "unanswered"]);

/** How much a delay varies in either direction, so that mails refused together do not return together. */
const JITTER = 0.2;

/**
 * Milliseconds until the next attempt of a mail that had `earlier` attempts of this sort before the one that has
 * just failed; null if it is to be given up. `random` is from 0 to 1.
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
