import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import addressparser from "nodemailer/lib/addressparser";
import { z } from "zod";
import { findParameterProblem } from "~db/database-parameters";
import { splitHosts } from "~db/database-url";
import { readEmail, readOwnEmail } from "./email-address.server";

/** The sender where `MAIL_FROM` is not set; no real mail server would accept it. */
const DEFAULT_MAIL_FROM = "hello@localhost";

/** Settings whose value must not be printed. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  "SESSION_SECRET",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "METRICS_TOKEN",
  "DATABASE_URL",
  "SMTP_URL",
  "MAIL_REPORT_SECRET",
  "DISCOURSE_CONNECT_SECRET",
  "DISCOURSE_API_KEY",
  "BACKUP_S3_SECRET_ACCESS_KEY",
]);

/** Most proxies in front of the site; a longer chain is a mistake. */
const MAX_PROXIES = 16;

/** The shortest prefix a proxy network may have: a wider network would include visitors. */
const WIDEST_PROXY_NETWORK = { ipv4: 8, ipv6: 16 };

/** Plain decimal numbers only: JavaScript would also accept `0x10`, `1e3`, ` 80 ` and `+80`. */
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,6})$/;
const DECIMAL_NUMBER = /^(?:0|[1-9]\d{0,6})(?:\.\d{1,6})?$/;

/** A name with a dot, as a Content-Security-Policy allows it. */
const DOMAIN_NAME = /^(?=.{4,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

const matching = (pattern: RegExp, wanted: string) => z.string().regex(pattern, wanted);

const textThat = (isRight: (text: string) => boolean, wanted: string) =>
  z.string().refine(isRight, wanted);

/** A text that is read as something else; null is refused. */
const readBy = <T>(read: (text: string) => T | null, wanted: string) =>
  z
    .string()
    .transform(read)
    .refine((value): value is NonNullable<typeof value> => value !== null, wanted);

const numberBetween = (pattern: RegExp, min: number, max: number, wanted: string) =>
  textThat(
    (text) => pattern.test(text) && Number(text) >= min && Number(text) <= max,
    wanted,
  ).transform(Number);

const wholeNumber = (min: number, max: number, wanted: string) =>
  numberBetween(WHOLE_NUMBER, min, max, wanted);

const decimalNumber = (max: number, wanted: string) =>
  numberBetween(DECIMAL_NUMBER, 0.01, max, wanted);

/** An email address without a name. */
const bareAddress = (example: string) =>
  readBy(readOwnEmail, `one email address without a name, such as ${example}`);

const port = wholeNumber(0, 65_535, "a port number from 0 to 65535");

const flag = z.enum(["true", "false"], "'true' or 'false'").transform((value) => value === "true");

const shortText = matching(/^\P{Cc}{1,60}$/u, "one line of up to 60 characters");

const origin = textThat(
  isOrigin,
  "an http(s) origin without a path, such as https://example.com",
).transform((value) => new URL(value).origin);

const mailbox = readBy(
  (value) => readMailbox(value)?.text ?? null,
  "one email address, with a name or without, such as My Book <hello@example.com>",
);

const commaList = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every(Boolean), "a comma-separated list without empty entries");

/** Every setting of the program, by variable name. Messages complete the sentence "wanted …". */
export const schema = z.object({
  PORT: port.default(3000),
  HOST: textThat(
    (value) => isIP(value) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value),
    "an address or a name of this machine, without scheme, brackets or port",
  ).optional(),
  PUBLIC_URL: origin.optional(),
  PUBLIC_ALIASES: commaList
    .transform((names) => names.map(aliasName))
    .refine(
      (names): names is string[] => names.every((name) => name !== null),
      "other host names of the site, without port or path, separated by commas, such as www.example.com,example.net",
    )
    .optional(),
  DATA_DIR: z.string().default("./data"),
  CONTENT_DIR: z.string().optional(),
  DATABASE_URL: z
    .string()
    .refine(
      (value) => splitHosts(value).every((one) => /^postgres(ql)?:$/.test(protocolOf(one))),
      "a PostgreSQL address, such as postgres://user:password@host:5432/database; several hosts are separated by commas",
    )
    .refine(
      (value) => !/%(?![\da-f]{2})/i.test(value),
      "an address in which '%' is written '%25', as in a password",
    )
    .superRefine((value, context) => {
      const problem = findParameterProblem(value);
      if (problem) context.addIssue({ code: "custom", message: problem });
    })
    .optional(),
  SESSION_SECRET: commaList
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 32),
      "secrets of at least 32 characters each, newest first, separated by commas",
    )
    .refine(
      (secrets) => !secrets.some(isRepetitive),
      "random secrets, such as 'openssl rand -hex 32' makes",
    )
    .optional(),
  PAYMENTS: z.enum(["stripe", "sandbox"], "'stripe' or 'sandbox'").default("stripe"),
  ALLOW_PUBLIC_SANDBOX: flag.default(false),
  STRIPE_SECRET_KEY: matching(
    /^(sk|rk)_(test|live)_/,
    "a Stripe secret or restricted key (sk_… or rk_…)",
  ).optional(),
  STRIPE_PUBLISHABLE_KEY: matching(
    /^pk_(test|live)_/,
    "a Stripe publishable key (pk_…)",
  ).optional(),
  STRIPE_PRICE_ID: matching(/^price_/, "a Stripe price id (price_…)").optional(),
  STRIPE_WEBHOOK_SECRET: commaList
    .refine(
      (secrets) => secrets.every((secret) => secret.startsWith("whsec_")),
      "Stripe webhook signing secrets (whsec_…), separated by commas",
    )
    .optional(),
  STRIPE_API_BASE: origin.optional(),
  STRIPE_CALLS_PER_SECOND: wholeNumber(
    1,
    1_000_000,
    "a whole number of calls a second from 1 to 1000000",
  ).optional(),
  STRIPE_CUSTOM_DOMAIN: commaList
    .refine(
      (names) => names.every((name) => DOMAIN_NAME.test(name)),
      "the domain of Stripe's pages, without scheme or path, such as pay.example.com",
    )
    .optional(),
  STRIPE_AUTOMATIC_TAX: flag.default(false),
  STRIPE_PROMOTION_CODES: flag.default(false),
  STRIPE_TERMS_CONSENT: flag.default(false),
  PRICE_NOTE: shortText.optional(),
  CANCELLATION_PAGE: flag.default(false),
  CANCELLATION_LINK_LABEL: shortText.default("Cancel contracts here"),
  CANCELLATION_BUTTON_LABEL: shortText.default("Cancel now"),
  STRIPE_SANDBOX_PORT: port.optional(),
  STRIPE_SANDBOX_LATENCY_MS: wholeNumber(
    0,
    60_000,
    "a whole number of milliseconds from 0 to 60000",
  ).optional(),
  SMTP_URL: textThat(
    (value) => /^smtps?:$/.test(protocolOf(value)) && new URL(value).hostname !== "",
    "an SMTP address, such as smtp://user:password@host:587",
  ).optional(),
  MAIL_FROM: mailbox.default(DEFAULT_MAIL_FROM),
  MAIL_REPLY_TO: mailbox.optional(),
  MAIL_BOUNCE_ADDRESS: bareAddress("bounces@example.com").optional(),
  MAIL_POSTAL_ADDRESS: matching(
    /^\P{Cc}{1,200}$/u,
    "one line of up to 200 characters, such as My Press, 1 High Street, Oxford OX1 1AA",
  ).optional(),
  MAIL_RATE: decimalNumber(100_000, "a number of mails a second from 0.01 to 100000").optional(),
  MAIL_CONNECTIONS: wholeNumber(2, 50, "a whole number of connections from 2 to 50").default(6),
  SES_TOPIC_ARN: matching(
    /^arn:aws(?:-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
    "the ARN of an Amazon SNS topic, such as arn:aws:sns:eu-west-1:123456789012:mail",
  ).optional(),
  MAIL_REPORT_SECRET: matching(/^[\x21-\x7e]{32,}$/, "a secret of at least 32 characters")
    .refine(
      (secret) => !isRepetitive(secret),
      "a random secret, such as 'openssl rand -hex 32' makes",
    )
    .optional(),
  DKIM_SELECTOR: matching(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i,
    "the selector of your DKIM key's DNS record, such as 'mail' of mail._domainkey.example.com",
  ).optional(),
  DKIM_KEY_FILE: readBy(
    readDkimKey,
    "the path of a file with an RSA private key of at least 1024 bits, in PEM",
  ).optional(),
  DKIM_DOMAIN: matching(DOMAIN_NAME, "the domain that signs, such as example.com").optional(),
  TRUST_PROXY: readBy(
    trustedProxies,
    `the number of proxies in front, 0 to ${MAX_PROXIES}, or the addresses and networks they connect from, such as 192.0.2.10,10.0.0.0/8`,
  ).default(0),
  NEWSLETTER_DOUBLE_OPT_IN: flag.default(false),
  REQUIRE_CONFIRMED_EMAIL: flag.default(false),
  COMMUNITY_URL: origin.optional(),
  DISCOURSE_CONNECT_SECRET: z
    .string()
    .min(10, "the discourse_connect_secret of your Discourse, at least 10 characters")
    .optional(),
  DISCOURSE_GROUP: matching(
    /^[A-Za-z0-9_-]{3,20}$/,
    "the name of a group of your Discourse",
  ).default("members"),
  DISCOURSE_API_KEY: matching(
    /^[\x21-\x7e]{16,}$/,
    "an API key of your Discourse, for all users",
  ).optional(),
  RATE_LIMIT_FACTOR: decimalNumber(1_000_000, "a number from 0.01 to 1000000").default(1),
  CDN_CACHE_SECONDS: wholeNumber(1, 86_400, "seconds from 1 to 86400").optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_EVERY: readBy(readInterval, "how often, from 1h to 31d, such as 24h or 1d").optional(),
  BACKUP_BEFORE_UPGRADE: flag.default(true),
  BACKUP_S3_URL: textThat(
    isBucketUrl,
    "the http(s) address of a bucket, with a folder in it if you like, such as https://s3.example.com/bucket/golden-path",
  ).optional(),
  BACKUP_S3_REGION: matching(
    /^[a-z0-9-]+$/i,
    "the region of the bucket, such as eu-central-1",
  ).default("us-east-1"),
  BACKUP_S3_ACCESS_KEY_ID: matching(/^[\x21-\x7e]+$/, "the id of an access key").optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: matching(/^[\x21-\x7e]+$/, "the secret of an access key").optional(),
  OPERATOR_EMAIL: bareAddress("you@example.com").optional(),
  AUTHOR_EMAIL: commaList
    .transform((parts) => parts.map((part) => readEmail(part) ?? ""))
    .refine((all) => all.every(Boolean), "email addresses of accounts, separated by commas")
    .optional(),
  METRICS_TOKEN: matching(/^[\x20-\x7e]{16,}$/, "a token of at least 16 characters")
    .refine((token) => !isRepetitive(token), "a random token, such as 'openssl rand -hex 32' makes")
    .optional(),
  SECURITY_CONTACT: commaList
    .transform((parts) => parts.map(contactUri))
    .refine(
      (uris): uris is string[] => uris.every((uri) => uri !== null),
      "email addresses or https: addresses to report to, separated by commas",
    )
    .optional(),
  HSTS_INCLUDE_SUBDOMAINS: flag.default(false),
  EARLY_HINTS: flag.default(false),
  LOG_LEVEL: z
    .enum(
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "one of fatal, error, warn, info, debug, trace, silent",
    )
    .default("info"),
});

/** The parsed settings, each valid by itself. */
export type Settings = z.infer<typeof schema>;

export const SETTING_NAMES: readonly string[] = Object.keys(schema.shape);

/** The email address in a text such as `Name <address>`, in canonical form; null unless there is exactly one. */
export function addressOf(text: string): string | null {
  return readMailbox(text)?.address ?? null;
}

/** Such a text's address, and the text with the address in canonical form. */
function readMailbox(text: string): { address: string; text: string } | null {
  const [mailbox, ...more] = addressparser(text);
  if (!mailbox || more.length > 0 || !("address" in mailbox)) return null;
  const typed = mailbox.address ?? "";
  const address = readOwnEmail(typed);
  return address === null ? null : { address, text: text.replaceAll(typed, () => address) };
}

/** The private key in a file, as PEM; null unless it is an RSA key long enough for receivers (RFC 8301, 3.2). */
function readDkimKey(file: string): string | null {
  try {
    const pem = readFileSync(file, "utf8");
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === "rsa" && bits >= 1024 ? pem : null;
  } catch {
    return null;
  }
}

/** A number of proxies, or their networks; null if the text is neither. */
function trustedProxies(text: string): number | string[] | null {
  if (WHOLE_NUMBER.test(text)) return Number(text) <= MAX_PROXIES ? Number(text) : null;
  const networks = text.split(",").map((part) => part.trim());
  return networks.every(isProxyNetwork) ? networks : null;
}

function isProxyNetwork(text: string): boolean {
  if (!text.includes("/")) return isIP(text) !== 0;
  if (!ipaddr.isValidCIDR(text)) return false;
  const [address, bits] = ipaddr.parseCIDR(text);
  return bits >= WIDEST_PROXY_NETWORK[address.kind()];
}

/** A text such as 24h or 1d in milliseconds; null unless it is from an hour to 31 days. */
function readInterval(text: string): number | null {
  const [, count, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === "d" ? 24 : 1);
  return hours >= 1 && hours <= 31 * 24 ? hours * 3_600_000 : null;
}

function isBucketUrl(value: string): boolean {
  if (!/^https?:$/.test(protocolOf(value))) return false;
  const url = new URL(value);
  const hasBucket = /^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/i.test(url.pathname);
  return hasBucket && !url.search && !url.hash && !url.username && !url.password;
}

/** A contact URI for security.txt (RFC 9116, 2.5.3); null if the text is not a contact. */
function contactUri(text: string): string | null {
  const address = readOwnEmail(text.replace(/^mailto:/i, "")) ?? "";
  if (/^[^%?]+@.+\../.test(address)) return `mailto:${encodeURI(address)}`;
  return protocolOf(text) === "https:" ? new URL(text).href : null;
}

/** Whether a secret was typed rather than generated: few distinct characters, or one part repeated. */
function isRepetitive(secret: string): boolean {
  if (new Set(secret).size < 6) return true;
  // a text repeats a part exactly if it occurs in its own concatenation at an inner position
  return (secret + secret).indexOf(secret, 1) < secret.length;
}

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol : "";
}

/** The host name of an alias, written by itself or as an origin; null for anything else. */
function aliasName(text: string): string | null {
  const address = text.includes("://") ? text : `http://${text}`;
  if (!isOrigin(address)) return null;
  const { hostname, port } = new URL(address);
  return port === "" && !/:\d*\/?$/.test(text.replace(/\[.*\]/, "")) ? hostname : null;
}

function isOrigin(value: string): boolean {
  if (!/^https?:$/.test(protocolOf(value))) return false;
  const url = new URL(value);
  const isPlain =
    url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  return isPlain && /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(url.hostname);
}
