import { join, resolve } from "node:path";
import { OperatorError } from "~db/operator-error";
import { findAlteredValues } from "./environment/altered-values.server";
import { findConflicts } from "./environment/conflicts.server";
import { wwwCounterpart } from "./environment/host-names";
import { findMisspellings, findUnknownSettings } from "./environment/misspellings.server";
import { findRisks } from "./environment/risks.server";
import { SANDBOX_STRIPE } from "./environment/sandbox-stripe";
import {
  addressOf,
  SECRET_NAMES,
  SETTING_NAMES,
  type Settings,
  schema,
} from "./environment/schema.server";
import { readSecretFiles } from "./environment/secret-files.server";
import { describeSettings } from "./environment/shown-settings.server";

export { SANDBOX_STRIPE };

/** The origin of `npm run dev`'s server, which tells pages of a new build; null in any other build. */
export const DEVELOPMENT_SERVER: string | null =
  process.env.NODE_ENV === "development" && process.env.REMIX_DEV_ORIGIN
    ? new URL(process.env.REMIX_DEV_ORIGIN).origin
    : null;

/** The settings required for checkout: how to reach Stripe, a price, and the secrets that sign webhooks. */
export type StripeEnvironment = NonNullable<Environment["STRIPE"]>;

/** The settings as the program uses them. */
export type Environment = ReturnType<typeof parseEnvironment>;

type Variables = Record<string, string | undefined>;

type ParseOptions = {
  /** Allows an incomplete set of Stripe variables, as before `stripe setup`. */
  partialStripe?: boolean;
};

/**
 * Parses the process's variables into settings. An empty variable counts as unset; a secret may be in the file that
 * its name with `_FILE` names. Throws an OperatorError with one line per invalid variable: its name, what was found,
 * what is wanted.
 */
export function parseEnvironment(
  variables: Variables,
  { partialStripe = false }: ParseOptions = {},
) {
  const given = Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== "",
    ),
  );
  const { settings: set, problems, warnings } = readSecretFiles(given);
  const misspellings = findMisspellings(set);
  for (const [name, meant] of misspellings) {
    problems.set(name, `${meant}, or another name if it is not for this program`);
  }
  for (const name of SETTING_NAMES) {
    const wanted = set[name] === undefined ? null : wantedOfAnyValue(set[name]);
    if (wanted) problems.set(name, wanted);
  }
  const result = schema.safeParse(set);
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, message);
  }
  for (const { name, wanted } of result.success ? findConflicts(result.data) : []) {
    if (!problems.has(name)) problems.set(name, wanted);
  }
  if (!result.success || problems.size > 0) {
    const lines = [...problems].map(
      ([name, wanted]) =>
        `${name}: found ${describe(name, set[name] ?? given[name])}, wanted ${wanted}.`,
    );
    throw new OperatorError(lines.join("\n"));
  }
  const {
    PUBLIC_URL = `http://localhost:${result.data.PORT}`,
    STRIPE_SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY,
    STRIPE_PRICE_ID,
    STRIPE_WEBHOOK_SECRET,
    STRIPE_API_BASE,
    STRIPE_SANDBOX_PORT = result.data.PORT + 1,
    STRIPE_SANDBOX_LATENCY_MS = 0,
    ALLOW_PUBLIC_SANDBOX: _,
    DKIM_SELECTOR,
    DKIM_KEY_FILE,
    DKIM_DOMAIN,
    COMMUNITY_URL,
    DISCOURSE_CONNECT_SECRET,
    DISCOURSE_GROUP,
    DISCOURSE_API_KEY = null,
    BACKUP_S3_URL,
    BACKUP_S3_REGION,
    BACKUP_S3_ACCESS_KEY_ID,
    BACKUP_S3_SECRET_ACCESS_KEY,
    ...rest
  } = result.data;
  const isSandbox = rest.PAYMENTS === "sandbox";
  // anyone who reaches the local Stripe can move its clock, so by default it is not exposed
  const HOST = rest.HOST ?? (isSandbox ? "localhost" : undefined);
  const OWN_HOST = ownHost(HOST);
  const sandboxOrigin = new URL(PUBLIC_URL);
  sandboxOrigin.protocol = "http:";
  sandboxOrigin.port = String(STRIPE_SANDBOX_PORT);
  const { secretKey, priceId, webhookSecrets, publishableKey, apiBase } = isSandbox
    ? {
        secretKey: SANDBOX_STRIPE.secretKey,
        priceId: SANDBOX_STRIPE.priceId,
        webhookSecrets: [SANDBOX_STRIPE.webhookSecret],
        publishableKey: null,
        apiBase: `http://${OWN_HOST}:${STRIPE_SANDBOX_PORT}`,
      }
    : {
        secretKey: STRIPE_SECRET_KEY,
        priceId: STRIPE_PRICE_ID,
        webhookSecrets: STRIPE_WEBHOOK_SECRET,
        publishableKey: STRIPE_PUBLISHABLE_KEY ?? null,
        apiBase: STRIPE_API_BASE ?? null,
      };
  const missing = Object.entries({
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PRICE_ID: priceId,
    STRIPE_WEBHOOK_SECRET: webhookSecrets,
  }).filter(([, value]) => value === undefined);
  if (missing.length > 0 && missing.length < 3 && !partialStripe) {
    throw new OperatorError(
      missing
        .map(
          ([name]) =>
            `${name}: found nothing, wanted a value, because the other Stripe variables are set (see 'stripe setup').`,
        )
        .join("\n"),
    );
  }
  return {
    ...rest,
    HOST,
    PUBLIC_URL,
    /** The site's other host names, whose pages redirect to PUBLIC_URL; its name with or without `www.` is one. */
    PUBLIC_ALIASES: new Set(
      [...(rest.PUBLIC_ALIASES ?? []), wwwCounterpart(new URL(PUBLIC_URL).hostname)].filter(
        (name) => name !== null,
      ),
    ),
    DATA_DIR: resolve(rest.DATA_DIR),
    /** The edition's folder, whether it exists or not. */
    CONTENT_DIR: resolve(rest.CONTENT_DIR ?? join(rest.DATA_DIR, "content")),
    /** Whether the operator has named that folder. */
    IS_CONTENT_DIR_SET: rest.CONTENT_DIR !== undefined,
    /** The host under which this process reaches its own port. */
    OWN_HOST,
    /** The members' Discourse; null while there is none. Without an API key nobody is logged out there. */
    COMMUNITY:
      COMMUNITY_URL && DISCOURSE_CONNECT_SECRET
        ? {
            origin: COMMUNITY_URL,
            secret: DISCOURSE_CONNECT_SECRET,
            group: DISCOURSE_GROUP,
            apiKey: DISCOURSE_API_KEY,
          }
        : null,
    BACKUP_DIR: rest.BACKUP_DIR && resolve(rest.BACKUP_DIR),
    /** The bucket for backups, with its folder in the address; null if there is none. */
    BACKUP_S3:
      BACKUP_S3_URL && BACKUP_S3_ACCESS_KEY_ID && BACKUP_S3_SECRET_ACCESS_KEY
        ? {
            url: BACKUP_S3_URL.replace(/\/$/, ""),
            region: BACKUP_S3_REGION,
            accessKeyId: BACKUP_S3_ACCESS_KEY_ID,
            secretAccessKey: BACKUP_S3_SECRET_ACCESS_KEY,
          }
        : null,
    /** What signs outgoing mail, with the private key as PEM; null if nothing does. */
    DKIM:
      DKIM_SELECTOR && DKIM_KEY_FILE
        ? {
            domain: DKIM_DOMAIN ?? addressOf(rest.MAIL_FROM)?.split("@")[1] ?? "",
            selector: DKIM_SELECTOR,
            privateKey: DKIM_KEY_FILE,
          }
        : null,
    /** How to reach Stripe, if there is a key, which is all that `stripe setup` needs; `apiBase` is null for its own API. */
    STRIPE_API: secretKey ? { secretKey, apiBase } : null,
    /** Null while checkout is not configured; the secrets that sign webhooks are the newest first. */
    STRIPE:
      secretKey && priceId && webhookSecrets
        ? { secretKey, apiBase, publishableKey, priceId, webhookSecrets }
        : null,
    /** The checkout settings present so far, complete or not; `stripe setup` keeps them. */
    STRIPE_KNOWN: { priceId: priceId ?? null, webhookSecrets: webhookSecrets ?? [] },
    /** Where the local Stripe listens when `PAYMENTS=sandbox`, and how long its calls take; else null. */
    SANDBOX: isSandbox
      ? {
          port: STRIPE_SANDBOX_PORT,
          origin: sandboxOrigin.origin,
          latencyMs: STRIPE_SANDBOX_LATENCY_MS,
        }
      : null,
    /** Warnings about settings that are valid but may be mistakes; logged at start. */
    WARNINGS: [
      ...warnings,
      ...findRisks(result.data),
      ...findAlteredValues(set),
      ...findUnknownSettings(set).map(
        (name) => `${name} is set, but is not a setting of this program.`,
      ),
    ],
    /** Settings that a production site needs and that are not set. */
    MISSING: missingOf(result.data),
  };
}

let current: Environment | undefined;
let overrides: Variables = {};

/** The settings of this process, read once. Throws as `parseEnvironment` does. */
export function env(): Environment {
  current ??= parseEnvironment(process.env);
  return current;
}

/** Makes `variables` override those of the process, for commands with defaults of their own and for tests. */
export function setEnvironment(variables: Variables, options?: ParseOptions): void {
  current = parseEnvironment({ ...process.env, ...variables }, options);
  overrides = variables;
}

/** Every setting by name as this process has it, for a page: without secrets. */
export const shownSettings = () => describeSettings({ ...process.env, ...overrides });

/**
 * The listening sockets that systemd, or another program of its protocol, has passed on to this process, as file
 * descriptors. Those meant for another process are ignored.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function inheritedSockets(
  { LISTEN_PID, LISTEN_FDS }: Variables = process.env,
  pid = process.pid,
): number[] {
  const count = /^\d{1,3}$/.test(LISTEN_FDS ?? "") ? Number(LISTEN_FDS) : 0;
  if (LISTEN_PID !== String(pid) || count === 0) return [];
  return Array.from({ length: count }, (_, index) => FIRST_INHERITED + index);
}

/** SD_LISTEN_FDS_START */
const FIRST_INHERITED = 3;

/** The process's variables, and others beside, for a program that is run in this one's place. */
export function variablesWith(others: Variables): Variables {
  return { ...process.env, ...others };
}

/** Settings that a production site needs and this one lacks. */
function missingOf(settings: Settings): string[] {
  const wanted: (keyof Settings)[] =
    settings.PAYMENTS === "sandbox"
      ? []
      : ["PUBLIC_URL", "SMTP_URL", "STRIPE_SECRET_KEY", "SECURITY_CONTACT"];
  return wanted.filter((name) => settings[name] === undefined);
}

/** 127.0.0.1 reaches all interfaces and `localhost`; any other host is reached only by its own address. */
function ownHost(host: string | undefined): string {
  if (host === undefined || /^(0\.0\.0\.0|::|localhost)$/i.test(host)) return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function describe(name: string, value: string | undefined): string {
  if (value === undefined) return "nothing";
  // a secret may have been written where its file belongs
  if (SECRET_NAMES.has(name.replace(/_FILE$/, ""))) return `a value of ${value.length} characters`;
  // an unknown variable may hold a secret
  if (!SETTING_NAMES.includes(name)) return "a variable of a name this program does not know";
  const withoutCredentials = value.replace(/\/\/[^/]*@/, "//…@");
  return `'${JSON.stringify(withoutCredentials).slice(1, -1)}'`;
}

/** What is wrong with a value of any setting, as "wanted …"; null if nothing is. */
function wantedOfAnyValue(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(value)) return "a value without line breaks";
  if (value !== value.trim()) return "a value without spaces around it";
  if (/^(["']).*\1$/.test(value)) return "a value without quotes around it, which --env-file keeps";
  return null;
}

/**
 * How many threads libuv has for work such as hashing, reading files and compressing: its own variable, which is no setting of
 * the site.
 */
export function libuvThreads(): number {
  return Number(process.env.UV_THREADPOOL_SIZE ?? 4) || 1;
}
