import { log } from "./log.server";

/**
 * What the security log tells of. An operator, or a program such as fail2ban, finds these lines by their
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
  | "limit-reached"
  | "webhook-refused"
  | "connections-closed";

/** Events that are somebody's ordinary day; all others are warnings. */
const ORDINARY: ReadonlySet<SecurityEvent> = new Set([
  "signed-in",
  "signed-up",
  "signed-out",
  "password-reset-requested",
  "password-reset",
]);

/**
 * Writes a line of the security log: the event in the field `security`, further facts beside it. People are
 * named by their id, clients by their network (`clientNetworks`); never by an e-mail address or a token.
 */
export function logSecurityEvent(
  event: SecurityEvent,
  facts: Record<string, unknown>,
  message: string,
): void {
  log()[ORDINARY.has(event) ? "info" : "warn"]({ security: event, ...facts }, message);
}
