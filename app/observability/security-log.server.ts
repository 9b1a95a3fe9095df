import { log } from "./log.server";

/**
 * The events of the security log. An operator, or a program such as fail2ban, finds these lines by their
 * field `security` and counts them by its value.
 */
export type SecurityEvent =
  | "signed-in"
  | "signed-up"
  | "signed-out"
  | "sign-in-failed"
  | "sign-up-with-taken-address"
  | "password-reset-requested"
  | "password-reset"
  | "password-changed"
  | "sessions-ended"
  | "email-confirmed"
  | "email-change-requested"
  | "email-changed"
  | "email-change-undone"
  | "account-deleted"
  | "passkey-added"
  | "passkey-removed"
  | "passkey-counter-replayed"
  | "podcast-address-renewed"
  | "limit-reached"
  | "webhook-refused"
  | "connections-closed";

/** Events of normal use, logged at level info; all others are warnings. */
const ROUTINE: ReadonlySet<SecurityEvent> = new Set([
  "signed-in",
  "signed-up",
  "signed-out",
  "password-reset-requested",
  "password-reset",
  "password-changed",
  "sessions-ended",
  "email-confirmed",
  "email-change-requested",
  "email-changed",
  "account-deleted",
  "passkey-added",
  "passkey-removed",
  "podcast-address-renewed",
]);

/**
 * Writes a line to the security log: the event in the field `security`, and `facts` as further fields. People
 * are identified by id, clients by network (`clientNetworks`); never by e-mail address or token.
 */
export function logSecurityEvent(
  event: SecurityEvent,
  facts: Record<string, unknown>,
  message: string,
): void {
  log()[ROUTINE.has(event) ? "info" : "warn"]({ security: event, ...facts }, message);
}
