import { log } from "./log.server";

/**
 * The events of the security log, with their level: `info` for those of normal use. An operator, or a program such as
 * fail2ban, finds these lines by their field `security` and counts them by its value.
 */
const LEVELS = {
  "signed-in": "info",
  "signed-up": "info",
  "signed-out": "info",
  "sign-in-failed": "warn",
  "sign-up-with-taken-address": "warn",
  "password-reset-requested": "info",
  "password-reset": "info",
  "password-changed": "info",
  "sessions-ended": "info",
  "email-confirmed": "info",
  "email-change-requested": "info",
  "email-changed": "info",
  "email-change-undone": "warn",
  "account-deleted": "info",
  "passkey-added": "info",
  "passkey-removed": "info",
  "passkey-counter-replayed": "warn",
  "podcast-address-renewed": "info",
  "podcast-address-removed": "info",
  "limit-reached": "warn",
  "webhook-refused": "warn",
  "connections-closed": "warn",
} as const;

/**
 * Writes a line to the security log: the event in the field `security`, and `facts` as further fields. People
 * are identified by id, clients by network (`clientNetworks`); never by email address or token.
 */
export function logSecurityEvent(
  event: keyof typeof LEVELS,
  facts: Record<string, unknown>,
  message: string,
): void {
  log()[LEVELS[event]]({ security: event, ...facts }, message);
}

const MINUTE_MS = 60_000;

/** Further events per reason since its last line; absent if that line is over a minute old. */
const unlogged = new Map<string, number>();

/**
 * As `logSecurityEvent`, for events that strangers can cause in a flood: the first of a reason in a minute is written
 * with its facts, the number of further ones at the minute's end. Each reason counts by itself, so a flood of one
 * cannot hide another.
 */
export function logSecurityEventAtTimes(
  event: keyof typeof LEVELS,
  facts: Record<string, unknown> & { reason: string },
  message: string,
): void {
  const { reason } = facts;
  const before = unlogged.get(reason);
  if (before !== undefined) {
    unlogged.set(reason, before + 1);
    return;
  }
  unlogged.set(reason, 0);
  logSecurityEvent(event, facts, message);
  setTimeout(() => {
    const count = unlogged.get(reason) ?? 0;
    unlogged.delete(reason);
    if (count > 0) logSecurityEvent(event, { reason, count }, "more webhooks rejected in a minute");
  }, MINUTE_MS).unref();
}
