import { insistsOnTls } from "~db/database-parameters";
import { applying, isExposed } from "./conflicts.server";
import { databaseHosts } from "./database-hosts.server";
import { isLoopbackHost, isRemoteHost } from "./host-names";
import { addressOf, type Settings } from "./schema.server";

/** Above this factor the limits stop nobody, which only tests and load measurements want. */
const MAX_SAFE_RATE_LIMIT_FACTOR = 100;

/** Warnings logged at start: valid settings that are often mistakes. One sentence each, without secrets. */
export function findRisks(settings: Settings): string[] {
  return [
    ...addressRisks(settings),
    ...databaseRisks(settings),
    ...mailRisks(settings),
    ...paymentRisks(settings),
  ];
}

function addressRisks(settings: Settings): string[] {
  const { PUBLIC_URL, TRUST_PROXY, RATE_LIMIT_FACTOR } = settings;
  if (!PUBLIC_URL) return [];
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (isLoopbackHost(hostname)) return [];
  return applying([
    protocol === "http:" &&
      "PUBLIC_URL is http: passwords and sessions travel unencrypted. Put an https proxy in front.",
    protocol === "https:" &&
      TRUST_PROXY === 0 &&
      "PUBLIC_URL is https, so there is a proxy in front, but TRUST_PROXY is not set: all visitors count as one address. Set TRUST_PROXY=1 for one proxy.",
    RATE_LIMIT_FACTOR > MAX_SAFE_RATE_LIMIT_FACTOR &&
      `RATE_LIMIT_FACTOR is ${RATE_LIMIT_FACTOR}: guessing passwords is not limited.`,
  ]);
}

function databaseRisks({ DATABASE_URL }: Settings): string[] {
  if (!DATABASE_URL) return [];
  if (!databaseHosts(DATABASE_URL).some(isRemoteHost) || insistsOnTls(DATABASE_URL)) return [];
  return [
    "DATABASE_URL leads to another network without insisting on encryption: add ?sslmode=verify-full, or at least ?sslmode=require.",
  ];
}

function mailRisks(settings: Settings): string[] {
  const { SMTP_URL, PAYMENTS } = settings;
  if (!SMTP_URL) {
    if (PAYMENTS === "sandbox") return [];
    return [
      "SMTP_URL is not set: mail, including password resets, is written to DATA_DIR/outbox and reaches no one.",
    ];
  }
  const { hostname, searchParams } = new URL(SMTP_URL);
  const isOpen =
    searchParams.get("ignoreTLS") === "true" ||
    searchParams.get("tls.rejectUnauthorized") === "false";
  const open = "SMTP_URL leads to another network without verified encryption.";
  return [
    ...(isOpen && isRemoteHost(hostname) ? [open] : []),
    ...["MAIL_FROM", "MAIL_REPLY_TO", "MAIL_BOUNCE_ADDRESS", "OPERATOR_EMAIL"]
      .filter((name) =>
        /[^\0-\x7f].*@/.test(addressOf(`${settings[name as keyof Settings]}`) ?? ""),
      )
      .map(
        (name) => `${name} has an accent before the @: mail servers without SMTPUTF8 refuse it.`,
      ),
    ...alignmentRisks(settings),
  ];
}

/** DMARC (RFC 7489, 3.1) counts SPF and DKIM only for domains that belong to that of `MAIL_FROM`. */
function alignmentRisks({ MAIL_FROM, MAIL_BOUNCE_ADDRESS, DKIM_DOMAIN }: Settings): string[] {
  const sender = addressOf(MAIL_FROM)?.split("@")[1] ?? "";
  const isAligned = (domain: string) =>
    domain === sender || domain.endsWith(`.${sender}`) || sender.endsWith(`.${domain}`);
  const bounces = MAIL_BOUNCE_ADDRESS?.split("@")[1];
  return applying([
    bounces &&
      !isAligned(bounces) &&
      "MAIL_BOUNCE_ADDRESS has another domain than MAIL_FROM: receivers that apply DMARC do not count SPF.",
    DKIM_DOMAIN &&
      !isAligned(DKIM_DOMAIN.toLowerCase()) &&
      "DKIM_DOMAIN is not the domain of MAIL_FROM: receivers that apply DMARC do not count the signature.",
  ]);
}

function paymentRisks(settings: Settings): string[] {
  const { PAYMENTS, STRIPE_SECRET_KEY, STRIPE_API_BASE } = settings;
  const unused = (names: (keyof Settings)[], why: string) =>
    names
      .filter((name) => settings[name] !== undefined && settings[name] !== false)
      .map((name) => `${name} is set and not used, because ${why}.`);
  if (PAYMENTS === "sandbox") {
    return [
      ...(isExposed(settings)
        ? [
            "PAYMENTS=sandbox can be reached by others: anyone can become a member for free. Don't use it on a real site.",
          ]
        : []),
      ...unused(
        [
          "STRIPE_SECRET_KEY",
          "STRIPE_PUBLISHABLE_KEY",
          "STRIPE_PRICE_ID",
          "STRIPE_WEBHOOK_SECRET",
          "STRIPE_API_BASE",
          "STRIPE_CUSTOM_DOMAIN",
        ],
        "PAYMENTS is 'sandbox'",
      ),
    ];
  }
  const isOpen =
    STRIPE_API_BASE?.startsWith("http:") && isRemoteHost(new URL(STRIPE_API_BASE).hostname);
  return [
    ...(isOpen
      ? ["STRIPE_API_BASE is http: the secret key travels unencrypted to another network."]
      : []),
    ...unused(["STRIPE_SANDBOX_PORT", "STRIPE_SANDBOX_LATENCY_MS"], "PAYMENTS is 'stripe'"),
    ...(STRIPE_SECRET_KEY
      ? []
      : unused(
          [
            "STRIPE_PUBLISHABLE_KEY",
            "STRIPE_API_BASE",
            "STRIPE_CUSTOM_DOMAIN",
            "STRIPE_AUTOMATIC_TAX",
            "STRIPE_PROMOTION_CODES",
            "STRIPE_TERMS_CONSENT",
          ],
          "STRIPE_SECRET_KEY is not",
        )),
  ];
}
