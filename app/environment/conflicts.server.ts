import { join, resolve, sep } from "node:path";
import { isLoopbackHost } from "./host-names";
import { SANDBOX_STRIPE } from "./sandbox-stripe";
import { addressOf, type Settings } from "./schema.server";
import { isLiveKey } from "./stripe-key";

/** A setting that conflicts with others, and what is wanted instead, to complete "wanted …". */
export type Conflict = { name: string; wanted: string };

/** The entries of a list whose condition holds, as in `isWrong && entry`. */
export function applying<Entry>(entries: readonly (Entry | false | "" | undefined)[]): Entry[] {
  return entries.filter((entry): entry is Entry => Boolean(entry));
}

/** Conflicts that prevent a start: settings that are valid by themselves but not together. */
export function findConflicts(settings: Settings): Conflict[] {
  const isHttps = settings.PUBLIC_URL?.startsWith("https:");
  return [
    ...(settings.PAYMENTS === "sandbox" ? sandboxConflicts(settings) : stripeConflicts(settings)),
    ...mailConflicts(settings),
    ...aliasConflicts(settings),
    ...communityConflicts(settings),
    ...backupConflicts(settings),
    ...applying([
      settings.HSTS_INCLUDE_SUBDOMAINS &&
        !isHttps && {
          name: "HSTS_INCLUDE_SUBDOMAINS",
          wanted: "'false', unless PUBLIC_URL is https",
        },
    ]),
  ];
}

/**
 * Whether other machines can reach the site: by its public name, or because it listens on other addresses
 * than loopback. HOST unset means all interfaces, except with the local Stripe, which then listens on loopback
 * only.
 */
export function isExposed({ PAYMENTS, PUBLIC_URL, HOST }: Settings): boolean {
  return (
    (PUBLIC_URL !== undefined && !isLoopbackHost(new URL(PUBLIC_URL).hostname)) ||
    (HOST === undefined ? PAYMENTS !== "sandbox" : !isLoopbackHost(HOST))
  );
}

function aliasConflicts({ PUBLIC_URL, PUBLIC_ALIASES }: Settings): Conflict[] {
  if (PUBLIC_ALIASES === undefined) return [];
  const name = "PUBLIC_ALIASES";
  if (PUBLIC_URL === undefined) {
    return [{ name, wanted: "nothing while PUBLIC_URL is not set, because they redirect there" }];
  }
  return PUBLIC_ALIASES.includes(new URL(PUBLIC_URL).hostname)
    ? [{ name, wanted: "only other names than that of PUBLIC_URL, where they redirect" }]
    : [];
}

function communityConflicts(settings: Settings): Conflict[] {
  const { COMMUNITY_URL, DISCOURSE_CONNECT_SECRET, DISCOURSE_API_KEY } = settings;
  if (COMMUNITY_URL === undefined && DISCOURSE_CONNECT_SECRET !== undefined) {
    return [
      { name: "COMMUNITY_URL", wanted: "your Discourse's origin, because its secret is set" },
    ];
  }
  if (COMMUNITY_URL !== undefined && DISCOURSE_CONNECT_SECRET === undefined) {
    const wanted = "the discourse_connect_secret of the Discourse at COMMUNITY_URL";
    return [{ name: "DISCOURSE_CONNECT_SECRET", wanted }];
  }
  if (DISCOURSE_API_KEY !== undefined && COMMUNITY_URL === undefined) {
    return [
      { name: "COMMUNITY_URL", wanted: "your Discourse's origin, because its API key is set" },
    ];
  }
  return [];
}

function backupConflicts(settings: Settings): Conflict[] {
  const { BACKUP_DIR, BACKUP_EVERY, BACKUP_S3_URL, DATA_DIR, CONTENT_DIR } = settings;
  const conflicts: Conflict[] = [];
  const contentDir = resolve(CONTENT_DIR ?? join(DATA_DIR, "content"));
  if (BACKUP_DIR !== undefined && `${resolve(BACKUP_DIR)}${sep}`.startsWith(contentDir + sep)) {
    const wanted = "a folder outside of CONTENT_DIR, or backups would contain one another";
    conflicts.push({ name: "BACKUP_DIR", wanted });
  }
  if (BACKUP_EVERY !== undefined && BACKUP_DIR === undefined && BACKUP_S3_URL === undefined) {
    const wanted = "a folder, or a bucket in BACKUP_S3_URL, because BACKUP_EVERY is set";
    conflicts.push({ name: "BACKUP_DIR", wanted });
  }
  const keys = ["BACKUP_S3_ACCESS_KEY_ID", "BACKUP_S3_SECRET_ACCESS_KEY"] as const;
  for (const name of keys) {
    if (BACKUP_S3_URL !== undefined && settings[name] === undefined) {
      conflicts.push({ name, wanted: "the bucket's, because BACKUP_S3_URL is set" });
    }
    if (BACKUP_S3_URL === undefined && settings[name] !== undefined) {
      const wanted = `the address of the bucket that ${name} is for`;
      conflicts.push({ name: "BACKUP_S3_URL", wanted });
    }
  }
  return conflicts;
}

/** Anyone who can reach a sandbox gets free membership and can move its clock. */
function sandboxConflicts(settings: Settings): Conflict[] {
  const { PORT, PUBLIC_URL, HOST, STRIPE_SANDBOX_PORT, ALLOW_PUBLIC_SANDBOX } = settings;
  const conflicts: Conflict[] = [];
  for (const name of ["STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY"] as const) {
    if (isLiveKey(settings[name])) {
      conflicts.push({ name, wanted: "no live key beside PAYMENTS=sandbox" });
    }
  }
  const wanted =
    "loopback, such as localhost, because PAYMENTS=sandbox gives membership away; if others shall have that, set ALLOW_PUBLIC_SANDBOX=true";
  if (!ALLOW_PUBLIC_SANDBOX && PUBLIC_URL && !isLoopbackHost(new URL(PUBLIC_URL).hostname)) {
    conflicts.push({ name: "PUBLIC_URL", wanted });
  }
  if (!ALLOW_PUBLIC_SANDBOX && HOST !== undefined && !isLoopbackHost(HOST)) {
    conflicts.push({ name: "HOST", wanted });
  }
  if (PORT === 0) {
    conflicts.push({
      name: "PORT",
      wanted: "a port of its own, because the local Stripe must know it",
    });
  } else if (STRIPE_SANDBOX_PORT === undefined && PORT === 65_535) {
    conflicts.push({
      name: "PORT",
      wanted:
        "a port below 65535, because the local Stripe takes the next one, or STRIPE_SANDBOX_PORT",
    });
  } else if (STRIPE_SANDBOX_PORT === PORT || STRIPE_SANDBOX_PORT === 0) {
    conflicts.push({ name: "STRIPE_SANDBOX_PORT", wanted: "a port of its own, other than PORT" });
  }
  return conflicts;
}

function stripeConflicts(settings: Settings): Conflict[] {
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_PRICE_ID, STRIPE_API_BASE } = settings;
  const isLive = isLiveKey(STRIPE_SECRET_KEY);
  const isOtherMode = isLive !== isLiveKey(STRIPE_PUBLISHABLE_KEY);
  const sameMode = `a key of the same mode as STRIPE_SECRET_KEY (pk_${isLive ? "live" : "test"}_…)`;
  const ofStripe = "nothing beside a live key, which is for Stripe alone";
  const wanted = "one of your Stripe account's: this is the local Stripe's";
  // anyone who has read the source could sign webhooks and grant membership
  const isForged = settings.STRIPE_WEBHOOK_SECRET?.includes(SANDBOX_STRIPE.webhookSecret) ?? false;
  const isAllowed = settings.ALLOW_PUBLIC_SANDBOX || !isExposed(settings);
  return applying([
    STRIPE_SECRET_KEY &&
      STRIPE_PUBLISHABLE_KEY &&
      isOtherMode && { name: "STRIPE_PUBLISHABLE_KEY", wanted: sameMode },
    isLive && STRIPE_API_BASE && { name: "STRIPE_API_BASE", wanted: ofStripe },
    STRIPE_SECRET_KEY === SANDBOX_STRIPE.secretKey &&
      !STRIPE_API_BASE && { name: "STRIPE_SECRET_KEY", wanted },
    STRIPE_PRICE_ID === SANDBOX_STRIPE.priceId &&
      !STRIPE_API_BASE && { name: "STRIPE_PRICE_ID", wanted },
    isForged && !(STRIPE_API_BASE && isAllowed) && { name: "STRIPE_WEBHOOK_SECRET", wanted },
  ]);
}

/** Mail servers reject or discard mail from an invalid sender address. */
function mailConflicts(settings: Settings): Conflict[] {
  const { SMTP_URL, MAIL_FROM, DKIM_SELECTOR, DKIM_KEY_FILE, DKIM_DOMAIN } = settings;
  const domain = addressOf(MAIL_FROM)?.split("@")[1] ?? "";
  const isRealSender = domain.includes(".") && !isLoopbackHost(domain);
  const isSigned = DKIM_SELECTOR !== undefined || DKIM_KEY_FILE !== undefined;
  return applying([
    settings.CANCELLATION_PAGE &&
      !SMTP_URL &&
      isExposed(settings) && {
        name: "SMTP_URL",
        wanted: "a mail server, because CANCELLATION_PAGE confirms by mail",
      },
    SMTP_URL &&
      !isRealSender && {
        name: "MAIL_FROM",
        wanted: "an address that mail may come from, beside SMTP_URL",
      },
    isSigned &&
      !DKIM_SELECTOR && { name: "DKIM_SELECTOR", wanted: "a value, because DKIM_KEY_FILE is set" },
    isSigned &&
      !DKIM_KEY_FILE && { name: "DKIM_KEY_FILE", wanted: "a value, because DKIM_SELECTOR is set" },
    !isSigned &&
      DKIM_DOMAIN !== undefined && {
        name: "DKIM_DOMAIN",
        wanted: "nothing without DKIM_SELECTOR and DKIM_KEY_FILE",
      },
  ]);
}
