import { resolve } from "node:path";
import { z } from "zod";
import { OperatorError } from "~db/operator-error";

/** Keys the site and the local Stripe sandbox agree on when `PAYMENTS=sandbox`. They open nothing else. */
export const SANDBOX_STRIPE = {
  secretKey: "sk_test_goldenPathSandbox",
  priceId: "price_goldenPathPremiumMonthly",
  productId: "prod_goldenPathPremium",
  webhookSecret: "whsec_goldenPathSandbox",
} as const;

const SECRET_NAMES = new Set([
  "SESSION_SECRET",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "METRICS_TOKEN",
  "DATABASE_URL",
  "SMTP_URL",
]);

const port = z.coerce
  .number("a port number from 0 to 65535")
  .int("a port number from 0 to 65535")
  .min(0, "a port number from 0 to 65535")
  .max(65_535, "a port number from 0 to 65535");

const CALLS = "a whole number of calls a second, 1 or more";

const origin = z
  .string()
  .refine(isOrigin, "an http(s) origin without a path, such as https://example.com")
  .transform((value) => new URL(value).origin);

const commaList = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every(Boolean), "a comma-separated list without empty entries");

const schema = z.object({
  PORT: port.default(3000),
  HOST: z.string().optional(),
  PUBLIC_URL: origin.optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: z
    .string()
    .refine(
      (value) => /^postgres(ql)?:$/.test(protocolOf(value)),
      "a PostgreSQL address, such as postgres://user:password@host:5432/database",
    )
    .optional(),
  SESSION_SECRET: commaList
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 32),
      "secrets of at least 32 characters each, newest first, separated by commas",
    )
    .optional(),
  PAYMENTS: z.enum(["stripe", "sandbox"], "'stripe' or 'sandbox'").default("stripe"),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/, "a Stripe secret or restricted key (sk_… or rk_…)")
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_/, "a Stripe publishable key (pk_…)")
    .optional(),
  STRIPE_PRICE_ID: z
    .string()
    .regex(/^price_/, "a Stripe price id (price_…)")
    .optional(),
  STRIPE_WEBHOOK_SECRET: commaList
    .refine(
      (secrets) => secrets.every((secret) => secret.startsWith("whsec_")),
      "Stripe webhook signing secrets (whsec_…), separated by commas",
    )
    .optional(),
  STRIPE_API_BASE: origin.optional(),
  STRIPE_SANDBOX_PORT: port.optional(),
  STRIPE_CALLS_PER_SECOND: z.coerce.number(CALLS).int(CALLS).min(1, CALLS).optional(),
  SMTP_URL: z
    .string()
    .refine(
      (value) => /^smtps?:$/.test(protocolOf(value)),
      "an SMTP address, such as smtp://user:password@host:587",
    )
    .optional(),
  MAIL_FROM: z.string().default("The Golden Path <hello@localhost>"),
  TRUST_PROXY: z.coerce
    .number("the number of proxies in front, 0 or more")
    .int("the number of proxies in front, 0 or more")
    .min(0, "the number of proxies in front, 0 or more")
    .default(0),
  NEWSLETTER_DOUBLE_OPT_IN: z
    .enum(["true", "false"], "'true' or 'false'")
    .default("false")
    .transform((value) => value === "true"),
  RATE_LIMIT_FACTOR: z.coerce.number("a number above 0").positive("a number above 0").default(1),
  METRICS_TOKEN: z.string().min(16, "a token of at least 16 characters").optional(),
  LOG_LEVEL: z
    .enum(
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "one of fatal, error, warn, info, debug, trace, silent",
    )
    .default("info"),
});

/** The way to Stripe's API. */
export type StripeApi = {
  secretKey: string;
  /** Another origin that speaks Stripe's API, or null for Stripe's own. */
  apiBase: string | null;
};

/** What it takes to sell: the API, a price, and the secrets that sign webhooks, newest first. */
export type StripeEnvironment = StripeApi & {
  publishableKey: string | null;
  priceId: string;
  webhookSecrets: string[];
};

export type Environment = Omit<
  z.infer<typeof schema>,
  | "PUBLIC_URL"
  | "STRIPE_SECRET_KEY"
  | "STRIPE_PUBLISHABLE_KEY"
  | "STRIPE_PRICE_ID"
  | "STRIPE_WEBHOOK_SECRET"
  | "STRIPE_API_BASE"
  | "STRIPE_SANDBOX_PORT"
> & {
  PUBLIC_URL: string;
  /** Set as soon as there is a key, which is all that `stripe setup` needs. */
  STRIPE_API: StripeApi | null;
  /** Null while checkout is not configured. */
  STRIPE: StripeEnvironment | null;
  /** Where the local Stripe listens when `PAYMENTS=sandbox`, else null. */
  SANDBOX: { port: number; origin: string } | null;
  /** The name by which this process reaches what it listens on itself. */
  OWN_HOST: string;
};

type Variables = Record<string, string | undefined>;

type ParseOptions = {
  /** Lets some of Stripe's variables be missing beside others, as before `stripe setup`. */
  partialStripe?: boolean;
};

/**
 * Turns the process's variables into the program's settings. An empty variable counts as unset.
 * Throws an OperatorError with one line a bad variable: its name, what was found, what is wanted.
 */
export function parseEnvironment(
  variables: Variables,
  { partialStripe = false }: ParseOptions = {},
): Environment {
  const set = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const result = schema.safeParse(set);
  if (!result.success) {
    const seen = new Set<string>();
    const lines = result.error.issues.flatMap((issue) => {
      const name = String(issue.path[0]);
      if (seen.has(name)) return [];
      seen.add(name);
      return [`${name}: found ${describe(name, set[name])}, wanted ${issue.message}.`];
    });
    throw new OperatorError(lines.join("\n"));
  }
  const {
    PUBLIC_URL = `http://localhost:${result.data.PORT}`,
    STRIPE_SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY,
    STRIPE_PRICE_ID,
    STRIPE_WEBHOOK_SECRET,
    STRIPE_API_BASE,
    STRIPE_SANDBOX_PORT,
    ...rest
  } = result.data;
  const base = {
    ...rest,
    PUBLIC_URL,
    DATA_DIR: resolve(rest.DATA_DIR),
    OWN_HOST: ownHost(rest.HOST),
  };

  if (rest.PAYMENTS === "sandbox") {
    const sandboxPort = STRIPE_SANDBOX_PORT ?? rest.PORT + 1;
    const sandboxOrigin = new URL(PUBLIC_URL);
    sandboxOrigin.protocol = "http:";
    sandboxOrigin.port = String(sandboxPort);
    const api = {
      secretKey: SANDBOX_STRIPE.secretKey,
      apiBase: `http://${base.OWN_HOST}:${sandboxPort}`,
    };
    return {
      ...base,
      STRIPE_API: api,
      STRIPE: {
        ...api,
        publishableKey: null,
        priceId: SANDBOX_STRIPE.priceId,
        webhookSecrets: [SANDBOX_STRIPE.webhookSecret],
      },
      SANDBOX: { port: sandboxPort, origin: sandboxOrigin.origin },
    };
  }

  const wanted = { STRIPE_SECRET_KEY, STRIPE_PRICE_ID, STRIPE_WEBHOOK_SECRET };
  const missing = Object.entries(wanted).filter(([, value]) => value === undefined);
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
  const api = STRIPE_SECRET_KEY
    ? { secretKey: STRIPE_SECRET_KEY, apiBase: STRIPE_API_BASE ?? null }
    : null;
  return {
    ...base,
    STRIPE_API: api,
    STRIPE:
      api && STRIPE_PRICE_ID && STRIPE_WEBHOOK_SECRET
        ? {
            ...api,
            publishableKey: STRIPE_PUBLISHABLE_KEY ?? null,
            priceId: STRIPE_PRICE_ID,
            webhookSecrets: STRIPE_WEBHOOK_SECRET,
          }
        : null,
    SANDBOX: null,
  };
}

let current: Environment | undefined;

/** The settings of this process, read once. Throws as `parseEnvironment` does. */
export function env(): Environment {
  current ??= parseEnvironment(process.env);
  return current;
}

/** Lets `variables` count over those of the process, as a command with its own defaults and tests do. */
export function setEnvironment(variables: Variables, options?: ParseOptions): void {
  current = parseEnvironment({ ...process.env, ...variables }, options);
}

/** All interfaces include loopback; one address of the machine is only reached by itself. */
function ownHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function describe(name: string, value: string | undefined): string {
  if (value === undefined) return "nothing";
  return SECRET_NAMES.has(name) ? `a value of ${value.length} characters` : `'${value}'`;
}

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol : "";
}

function isOrigin(value: string): boolean {
  if (!/^https?:$/.test(protocolOf(value))) return false;
  const url = new URL(value);
  return url.pathname === "/" && !url.search && !url.hash && !url.username;
}
