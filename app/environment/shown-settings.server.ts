import { SETTING_NAMES, schema } from "./schema.server";
import { readSecretFiles } from "./secret-files.server";

/**
 * The settings whose values may be shown. Any other one is shown as set or not set alone, so that a new one is no exception.
 * An address belongs here only if the schema refuses a user and a password in it.
 */
const PLAIN: ReadonlySet<string> = new Set(
  `PORT HOST PUBLIC_URL PUBLIC_ALIASES DATA_DIR CONTENT_DIR PAYMENTS ALLOW_PUBLIC_SANDBOX STRIPE_PRICE_ID
  STRIPE_API_BASE STRIPE_CALLS_PER_SECOND STRIPE_CUSTOM_DOMAIN STRIPE_AUTOMATIC_TAX STRIPE_PROMOTION_CODES
  STRIPE_TERMS_CONSENT PRICE_NOTE CANCELLATION_PAGE CANCELLATION_LINK_LABEL CANCELLATION_BUTTON_LABEL
  STRIPE_SANDBOX_PORT STRIPE_SANDBOX_LATENCY_MS MAIL_FROM MAIL_REPLY_TO MAIL_BOUNCE_ADDRESS MAIL_POSTAL_ADDRESS
  MAIL_RATE MAIL_CONNECTIONS SES_TOPIC_ARN DKIM_SELECTOR DKIM_DOMAIN TRUST_PROXY NEWSLETTER_DOUBLE_OPT_IN
  REQUIRE_CONFIRMED_EMAIL COMMUNITY_URL DISCOURSE_GROUP RATE_LIMIT_FACTOR CDN_CACHE_SECONDS BACKUP_DIR BACKUP_EVERY
  BACKUP_BEFORE_UPGRADE BACKUP_S3_URL BACKUP_S3_REGION OPERATOR_EMAIL AUTHOR_EMAIL SECURITY_CONTACT
  HSTS_INCLUDE_SUBDOMAINS EARLY_HINTS LOG_LEVEL`.split(/\s+/),
);

/** Returns every setting's name and value as a page may show it, as these variables and the files they name set it. */
export function describeSettings(
  variables: Record<string, string | undefined>,
): [name: string, shown: string][] {
  const given = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== "",
  );
  const { settings } = readSecretFiles(Object.fromEntries(given));
  return SETTING_NAMES.map((name) => {
    const value = settings[name];
    if (value !== undefined) return [name, PLAIN.has(name) ? value : "set"];
    const { data } = schema.shape[name as keyof typeof schema.shape].safeParse(undefined);
    return [name, PLAIN.has(name) && data !== undefined ? `${data} (default)` : "not set"];
  });
}
