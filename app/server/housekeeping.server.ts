import { deleteExpiredPasswordResets } from "~db/queries/password-resets";
import { deleteExpiredRateLimits } from "~db/queries/rate-limits";
import { deleteExpiredSessions } from "~db/queries/sessions";
import { deleteUnconfirmedSubscribers } from "~db/queries/subscribers";
import { log } from "./log.server";

const HOUR_MS = 60 * 60 * 1000;

/** An address nobody confirmed is forgotten after this long. */
const UNCONFIRMED_LIFE_MS = 30 * 24 * HOUR_MS;

/** Removes what is over: ended sessions, unused password resets, counts that start anew, addresses nobody confirmed. */
export async function keepHouse(now = new Date()): Promise<void> {
  await deleteExpiredSessions(now);
  await deleteExpiredPasswordResets(now);
  await deleteExpiredRateLimits(now);
  await deleteUnconfirmedSubscribers(new Date(now.getTime() - UNCONFIRMED_LIFE_MS));
}

/** Keeps house every hour until the returned function is called. */
export function startHousekeeping(): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = keepHouse().catch((error: unknown) =>
      log().error({ err: error }, "housekeeping failed; it is tried again in an hour"),
    );
  }, HOUR_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}
