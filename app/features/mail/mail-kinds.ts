const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type MailRules = {
  /** Lower numbers are sent first: 0 if a person is waiting for the mail, 1 for notices, 2 for mail to many. */
  priority: 0 | 1 | 2;
  /** Milliseconds after queueing during which the mail is still worth sending. */
  lifetimeMs: number;
  /**
   * Whether to send to a suppressed address too, because its owner just asked for the mail or must not miss it.
   * Otherwise one wrong bounce would lock an owner out for good.
   */
  ignoresSuppression: boolean;
};

const requested = (lifetimeMs: number): MailRules => ({
  priority: 0,
  lifetimeMs,
  ignoresSuppression: true,
});
const notice: MailRules = { priority: 1, lifetimeMs: 5 * DAY_MS, ignoresSuppression: false };

/** The rules of each kind of transactional mail. */
export const MAIL_RULES = {
  "password-reset": requested(HOUR_MS),
  "newsletter-confirmation": requested(DAY_MS),
  "newsletter-test": requested(HOUR_MS),
  "password-changed": { ...notice, ignoresSuppression: true },
  "email-confirmation": requested(DAY_MS),
  "email-change": requested(DAY_MS),
  "email-changed": { ...notice, ignoresSuppression: true },
  "account-deleted": { ...notice, ignoresSuppression: true },
  "passkey-added": { ...notice, ignoresSuppression: true },
  "passkey-removed": { ...notice, ignoresSuppression: true },
  "sign-up-attempt": notice,
  "account-welcome": notice,
  "newsletter-welcome": notice,
  "new-texts": { ...notice, priority: 2 },
  "membership-begun": notice,
  "membership-renewal-failed": notice,
  "membership-cancelled": notice,
  "membership-ended": notice,
  "membership-refunded": notice,
  "membership-twice": notice,
  // to the person who cancels without signing in, and to the operator
  cancellation: { ...notice, priority: 0, ignoresSuppression: true },
  "operator-matter": { priority: 1, lifetimeMs: 30 * DAY_MS, ignoresSuppression: true },
  "operator-letter": { priority: 1, lifetimeMs: 20 * DAY_MS, ignoresSuppression: true },
  "author-notice": { ...notice, ignoresSuppression: true },
  "author-account": { ...notice, ignoresSuppression: true },
} as const satisfies Record<string, MailRules>;

/** The purpose of a transactional mail. Campaign mails have the kind "newsletter" and their own rules. */
export type MailKind = keyof typeof MAIL_RULES;
