import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { SuppressionReason } from "./suppression-reasons";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** The account that a row belongs to, and is deleted with. */
const ofUser = (name = "user_id") => uuid(name).references(() => users.id, { onDelete: "cascade" });

/** Accounts. Email addresses are unique, whatever their case (specification, 3 and 5). */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    passwordHash: text("password_hash").notNull(),
    /** Whether the password was found, when last entered, to be a common one or the address. */
    isPasswordGuessable: boolean("is_password_guessable").notNull().default(false),
    avatarUrl: text("avatar_url"),
    /** How the book is set, and the theme of all pages; null if never chosen. */
    readingSettings: jsonb("reading_settings").$type<Record<string, string>>(),
    /** When the address was confirmed by a mailed link; null if it was not. */
    emailConfirmedAt: instant("email_confirmed_at"),
    /** When a mail last asked to confirm the address. */
    confirmationSentAt: instant("confirmation_sent_at"),
    /** When the owner was last notified by mail of an attempt to sign up with this address. */
    signUpNoticeSentAt: instant("sign_up_notice_sent_at"),
    /** Since when its member wishes to be mailed about new texts; null if not. */
    newTextsMailSince: instant("new_texts_mail_since"),
    createdAt: instant("created_at").notNull().defaultNow(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [uniqueIndex("users_email_unique").on(sql`lower(${table.email})`)],
);

/** The means by which a user's identity was verified. */
export type VerifiedBy = "password" | "passkey";

/** Signed-in browsers. The cookie holds a random token, the row only the token's SHA-256. */
export const sessions = pgTable(
  "sessions",
  {
    tokenHash: text("token_hash").primaryKey(),
    /** Names the session where its owner ends it; no secret. */
    id: uuid("id").notNull().defaultRandom(),
    userId: ofUser().notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    expiresAt: instant("expires_at").notNull(),
    /** When a page was last opened with it, to the day. */
    lastSeenAt: instant("last_seen_at").notNull().defaultNow(),
    /** Names by which the owner recognizes the browser, such as Firefox and Windows; null if unknown. */
    browser: text("browser"),
    system: text("system"),
    /** The network it was opened from, an IPv4 address or IPv6 /64; null before this was recorded. */
    network: text("network"),
    /** When its user last entered the password or used a passkey, and which; null before this was recorded. */
    verifiedAt: instant("verified_at"),
    verifiedBy: text("verified_by").$type<VerifiedBy>(),
  },
  (table) => [
    uniqueIndex("sessions_id_unique").on(table.id),
    index("sessions_user_id_index").on(table.userId),
    index("sessions_expires_at_index").on(table.expiresAt),
  ],
);

/** Requested password resets, at most one per user. The row holds the SHA-256 of the link's token. */
export const passwordResets = pgTable(
  "password_resets",
  {
    userId: ofUser().primaryKey(),
    tokenHash: text("token_hash").notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    expiresAt: instant("expires_at").notNull(),
    /** How many links have been mailed since `counted_since`, however many were requested. */
    mailCount: integer("mail_count").notNull().default(1),
    countedSince: instant("counted_since").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("password_resets_token_hash_unique").on(table.tokenHash),
    index("password_resets_expires_at_index").on(table.expiresAt),
  ],
);

/**
 * Changes of accounts' addresses: one that waits for the new address to be confirmed, and those that the owner of
 * the former address can still undo. Links hold a random token, the rows only its SHA-256.
 */
export const emailChanges = pgTable(
  "email_changes",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    userId: ofUser().notNull(),
    oldEmail: text("old_email").notNull(),
    newEmail: text("new_email").notNull(),
    /** SHA-256 of the token in the link to the new address; null once it was used. */
    confirmTokenHash: text("confirm_token_hash"),
    /** SHA-256 of the token in the link to the old address; null until the change was made. */
    undoTokenHash: text("undo_token_hash"),
    createdAt: instant("created_at").notNull().defaultNow(),
    /** When the change was made; null while it waits for the new address. */
    changedAt: instant("changed_at"),
    /** Expiry of its open link, after which the row is meaningless. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("email_changes_confirm_token_hash_unique").on(table.confirmTokenHash),
    uniqueIndex("email_changes_undo_token_hash_unique").on(table.undoTokenHash),
    // at most one waits, even with concurrent requests
    uniqueIndex("email_changes_waiting_unique")
      .on(table.userId)
      .where(sql`${table.changedAt} is null`),
    index("email_changes_old_email_index").on(sql`lower(${table.oldEmail})`),
    index("email_changes_expires_at_index").on(table.expiresAt),
  ],
);

/** Passkeys (WebAuthn credentials) that sign their user in. */
export const passkeys = pgTable(
  "passkeys",
  {
    /** The credential's id in base64url. */
    id: text("id").primaryKey(),
    userId: ofUser().notNull(),
    /** The name that its owner gave it. */
    name: text("name").notNull(),
    /** COSE-encoded. */
    publicKey: bytes("public_key").notNull(),
    /** The authenticator's signature counter; 0 for those that have none. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    /** The authenticator's transports, as reported by the browser: internal, hybrid, usb … */
    transports: text("transports").array().notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [index("passkeys_user_id_index").on(table.userId)],
);

/**
 * Used challenges of passkeys, and reports of bounces and complaints, stored until they expire, so that none counts
 * twice.
 */
export const usedChallenges = pgTable(
  "used_challenges",
  {
    /** SHA-256 of the challenge, or of the report. */
    challengeHash: text("challenge_hash").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("used_challenges_expires_at_index").on(table.expiresAt)],
);

/** The pictures of accounts in two sizes, each served under the SHA-256 of its content. */
export const avatars = pgTable(
  "avatars",
  {
    userId: ofUser().primaryKey(),
    /** In hexadecimal. */
    smallSha256: text("small_sha256").notNull(),
    small: bytes("small").notNull(),
    largeSha256: text("large_sha256").notNull(),
    large: bytes("large").notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("avatars_small_sha256_index").on(table.smallSha256),
    index("avatars_large_sha256_index").on(table.largeSha256),
  ],
);

/**
 * Accounts whose deletion has begun. Written before Stripe is asked to delete the customer, so that an interrupted
 * deletion is completed or abandoned later.
 */
export const accountDeletions = pgTable("account_deletions", {
  userId: ofUser().primaryKey(),
  startedAt: instant("started_at").notNull().defaultNow(),
});

/** Bank debits that were on their way when their account was deleted, and may still arrive. */
export const debitsAfterDeletion = pgTable("debits_after_deletion", {
  stripeChargeId: text("stripe_charge_id").primaryKey(),
  stripeCustomerId: text("stripe_customer_id").notNull(),
  createdAt: instant("created_at").notNull().defaultNow(),
});

/** Numbers the snapshots of customers at Stripe, so that an older one never overwrites a newer one. */
export const billingSyncNumbers = pgSequence("billing_sync_numbers");

/**
 * Billing data of a user. `stripe_price_id` and `stripe_current_period_end` decide access (specification, 4); the
 * rest is needed to keep these two in sync with Stripe.
 */
export const profiles = pgTable(
  "profiles",
  {
    id: ofUser("id").primaryKey(),
    stripeCustomerId: text("stripe_customer_id"),
    /** The price actually paid, which may differ from the one on sale. */
    stripePriceId: text("stripe_price_id"),
    /** End of access, including the leeway of a renewal or the grace period of an unpaid one; not Stripe's period end. */
    stripeCurrentPeriodEnd: instant("stripe_current_period_end"),
    stripeSubscriptionId: text("stripe_subscription_id"),
    stripeSubscriptionStatus: text("stripe_subscription_status"),
    stripeCancelAtPeriodEnd: boolean("stripe_cancel_at_period_end").notNull().default(false),
    /** When a canceled subscription ends, which may be several charges away; null if it renews. */
    stripeCancelAt: instant("stripe_cancel_at"),
    /** When Stripe charges next, null if it does not; and how much by its preview, with taxes and discounts. */
    nextPaymentAt: instant("next_payment_at"),
    /** In Stripe's minor unit of the currency; null if Stripe did not say. */
    nextPaymentAmount: integer("next_payment_amount"),
    nextPaymentCurrency: text("next_payment_currency"),
    /** Why a live subscription gives no access: its payment was refunded, or is disputed. */
    accessRevoked: text("access_withdrawn").$type<"refund" | "dispute">(),
    /** Another subscription that renews beside the one above, so its member pays twice; null for none. */
    secondSubscriptionId: text("second_subscription_id"),
    /** Whether a bank debit for the membership is on its way, which takes days. */
    isPaymentPending: boolean("is_payment_pending").notNull().default(false),
    /** Stripe's page for the invoice whose payment its holder has to confirm; null if there is none. */
    confirmPaymentUrl: text("confirm_payment_url"),
    /** The Checkout Session opened last, so that a second click reuses it. */
    stripeCheckoutSessionId: text("stripe_checkout_session_id"),
    /** When that session was opened; null once it is known to have ended. */
    checkoutOpenedAt: instant("checkout_opened_at"),
    /** Failed calls of a checkout; part of its idempotency keys, since Stripe replays a failure under the same key. */
    checkoutFailures: integer("checkout_failures").notNull().default(0),
    /** The number of the snapshot last written here. */
    syncNumber: bigint("sync_number", { mode: "number" }).notNull().default(0),
    syncedAt: instant("synced_at"),
    /** When the timer syncs the row if no webhook arrives; null if nothing can change without one. */
    syncDueAt: instant("sync_due_at"),
    /** Whether Stripe has yet to be told the account's new address; the next sync does. */
    isEmailDueAtStripe: boolean("is_email_due_at_stripe").notNull().default(false),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("profiles_stripe_customer_id_unique").on(table.stripeCustomerId),
    index("profiles_sync_due_at_index").on(table.syncDueAt),
  ],
);

/** Complimentary memberships, which the operator grants. An ended one is over, not deleted. */
export const membershipGrants = pgTable("membership_grants", {
  userId: ofUser().primaryKey(),
  until: instant("until").notNull(),
  grantedAt: instant("granted_at").notNull().defaultNow(),
});

/** Stripe prices that members pay or paid. The stored fields of a price never change at Stripe. */
export const stripePrices = pgTable("stripe_prices", {
  id: text("id").primaryKey(),
  productId: text("product_id").notNull(),
  /** In Stripe's minor unit of the currency; null for a price without a fixed amount. */
  unitAmount: integer("unit_amount"),
  currency: text("currency").notNull(),
  /** day, week, month or year. */
  interval: text("interval").notNull(),
  intervalCount: integer("interval_count").notNull(),
});

/**
 * How Stripe's objects show that they are this site's; one row. A copy of the database has the same row: its address
 * tells the two apart.
 */
export const stripeSite = pgTable(
  "stripe_site",
  {
    /** In the metadata of everything that this site creates at Stripe. */
    id: uuid("id").primaryKey().defaultRandom(),
    /** The only value there is, so that there is only one row. */
    isOnly: boolean("is_only").notNull().default(true),
    /** The PUBLIC_URL under which it first ran with a live key, or the operator's later choice; null before. */
    liveUrl: text("live_url"),
  },
  (table) => [uniqueIndex("stripe_site_is_only_unique").on(table.isOnly)],
);

/** Newsletter addresses. */
export const subscribers = pgTable(
  "subscribers",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    /** When the address was confirmed: at once, with double opt-in by its owner, or at another program before an import. */
    confirmedAt: instant("confirmed_at"),
    /** When its owner was last asked by mail to confirm it, so that nobody's inbox can be flooded. */
    confirmationSentAt: instant("confirmation_sent_at"),
    /** Where an imported address comes from, in the operator's words; null if its owner entered it on the site. */
    consentSource: text("consent_source"),
    consentRecordedAt: instant("consent_recorded_at"),
    /** Identifies the address in unsubscribe links; the same whenever this address subscribes again. */
    unsubscribeToken: text("unsubscribe_token"),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("subscribers_email_unique").on(sql`lower(${table.email})`),
    uniqueIndex("subscribers_unsubscribe_token_unique").on(table.unsubscribeToken),
    index("subscribers_unconfirmed_index")
      .on(table.createdAt)
      .where(sql`${table.confirmedAt} is null`),
  ],
);

/** The ledger of processed webhook events: a second delivery of the same id is not processed again. */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    apiVersion: text("api_version"),
    stripeCustomerId: text("stripe_customer_id"),
    /** When Stripe created the event. */
    occurredAt: instant("occurred_at").notNull(),
    receivedAt: instant("received_at").notNull().defaultNow(),
  },
  (table) => [index("webhook_events_received_at_index").on(table.receivedAt)],
);

/** Rate limit counters, keyed by limit and client; shared by all instances. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    key: text("key").primaryKey(),
    points: integer("points").notNull(),
    /** When the count is reset. */
    expire: instant("expire"),
  },
  (table) => [index("rate_limits_expire_index").on(table.expire)],
);

/** Newsletter issues that were sent, or are to be; also the public archive. */
export const campaigns = pgTable("campaigns", {
  id: uuid("id").primaryKey().defaultRandom(),
  slug: text("slug").notNull().unique(),
  audience: text("audience").$type<"subscribers" | "premium">().notNull(),
  subject: text("subject").notNull(),
  previewText: text("preview_text").notNull(),
  /** The issue without its front matter. Page and mail are rendered from it. */
  markdown: text("markdown").notNull(),
  /** Whether the page shows others than members only the beginning. */
  premium: boolean("premium").notNull().default(false),
  /** Whether its mails are sent. A finished campaign has no state of its own: no mail of it is queued or being sent. */
  state: text("state").$type<"running" | "paused" | "cancelled">().notNull().default("running"),
  /** Why the program paused it by itself; null if the operator did. */
  pauseReason: text("pause_reason"),
  /** Maximum mails a second over all instances; null if only `MAIL_RATE` applies. */
  rate: doublePrecision("rate"),
  startAt: instant("start_at").notNull(),
  createdAt: instant("created_at").notNull().defaultNow(),
});

/** Images of newsletter issues. The name depends on a secret and the content, so it cannot be guessed. */
export const newsletterImages = pgTable("newsletter_images", {
  name: text("name").primaryKey(),
  mediaType: text("media_type").notNull(),
  /** Pixels. */
  width: integer("width").notNull(),
  height: integer("height").notNull(),
  content: bytes("content").notNull(),
  createdAt: instant("created_at").notNull().defaultNow(),
});

/** Running mail workers. A worker's heartbeat is the lease of all mails it has claimed. */
export const mailWorkers = pgTable("mail_workers", {
  id: uuid("id").primaryKey(),
  startedAt: instant("started_at").notNull().defaultNow(),
  heartbeatAt: instant("heartbeat_at").notNull().defaultNow(),
  /** Since when its circuit breaker is open; null while the mail server can be used. */
  circuitOpenSince: instant("circuit_open_since"),
  /** The failure that opened it, as an error or reply code. */
  circuitReason: text("circuit_reason"),
});

/** A rendered mail, without its addressee. */
export type RenderedMail = {
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
};

export type MailState =
  /** Waits for its turn, or for the next attempt. */
  | "queued"
  /** Claimed by a worker; written before a byte of it is sent. */
  | "sending"
  | "sent"
  | "failed"
  | "expired"
  /** Its campaign was canceled, or its subscriber has left. */
  | "cancelled"
  /** Its address is in `suppressed_addresses`. */
  | "suppressed";

/** The mail queue: transactional mails, and those of campaigns (docs/decisions/0021-mail-queue.md). */
export const mails = pgTable(
  "mails",
  {
    /** Also the local part of the Message-ID, so that receivers recognize a mail that was sent twice. */
    id: uuid("id").primaryKey().defaultRandom(),
    kind: text("kind").notNull(),
    /** Transactional mails with a lower number are sent first. */
    priority: smallint("priority").notNull(),
    state: text("state").$type<MailState>().notNull().default("queued"),
    /** At most one mail per key, such as `renewal-failed:in_123`. */
    idempotencyKey: text("idempotency_key"),
    /**
     * The address; null in a campaign, which reads it from `subscribers`, and once finished, unless it failed and
     * can still be sent again.
     */
    recipient: text("recipient"),
    /** SHA-256 of the address in lower case, which outlives the address. */
    addressHash: bytes("address_hash").notNull(),
    /** Null for transactional mail. */
    campaignId: uuid("campaign_id").references(() => campaigns.id),
    subscriberId: uuid("subscriber_id"),
    /** Null until it is composed, and without a recipient, because its links may be credentials. */
    message: jsonb("message").$type<RenderedMail>(),
    /** Where a mail's link leads afterward; null from its composition on. */
    leadsTo: text("leads_to"),
    createdAt: instant("created_at").notNull().defaultNow(),
    /** When the next attempt is due. */
    dueAt: instant("due_at").notNull().defaultNow(),
    expiresAt: instant("expires_at").notNull(),
    /** Attempts that the mail server refused because of this mail. */
    attempts: smallint("attempts").notNull().default(0),
    /** Attempts with an unknown outcome: sent without an answer, or the worker died. */
    timesInDoubt: smallint("times_in_doubt").notNull().default(0),
    workerId: uuid("worker_id"),
    claimedAt: instant("claimed_at"),
    finishedAt: instant("finished_at"),
    /** The last failure as codes, such as `450 4.2.2 RCPT TO`; a server's words may quote addresses. */
    lastReply: text("last_reply"),
  },
  (table) => [
    check(
      "mails_finished_without_content",
      sql`(${table.state} in ('queued', 'sending')) = (${table.finishedAt} is null) and (${table.finishedAt} is null or ${table.state} = 'failed' or (${table.recipient} is null and ${table.message} is null))`,
    ),
    check(
      "mails_unfinished_with_recipient",
      sql`${table.finishedAt} is not null or (${table.campaignId} is null) = (${table.recipient} is not null)`,
    ),
    uniqueIndex("mails_idempotency_key_unique")
      .on(table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
    uniqueIndex("mails_campaign_address_unique")
      .on(table.campaignId, table.addressHash)
      .where(sql`${table.campaignId} is not null`),
    // one index per lane, so that a large paused campaign never slows down other mail
    index("mails_transactional_due_index")
      .on(table.priority, table.dueAt, table.id)
      .where(sql`${table.state} = 'queued' and ${table.campaignId} is null`),
    index("mails_campaign_due_index")
      .on(table.campaignId, table.dueAt, table.id)
      .where(sql`${table.state} = 'queued' and ${table.campaignId} is not null`),
    index("mails_sending_index").on(table.workerId).where(sql`${table.state} = 'sending'`),
    // the next two leave queued mails out. Otherwise claims might use them and sort a whole list, because the planner
    // knows nothing about mails queued since the last ANALYZE.
    index("mails_campaign_state_index")
      .on(table.campaignId, table.state)
      .where(sql`${table.state} <> 'queued' and ${table.campaignId} is not null`),
    index("mails_transactional_finished_at_index")
      .on(table.finishedAt)
      .where(sql`${table.finishedAt} is not null and ${table.campaignId} is null`),
  ],
);

/** Token buckets of `MAIL_RATE` and of campaigns with a rate, shared by all instances. */
export const mailTokenBuckets = pgTable("mail_token_buckets", {
  key: text("key").primaryKey(),
  tokens: doublePrecision("tokens").notNull(),
  refilledAt: instant("refilled_at").notNull(),
});

/** The suppression list: addresses that get no newsletter, and for most reasons no notices. */
export const suppressedAddresses = pgTable("suppressed_addresses", {
  /** SHA-256 of the address in lower case. */
  addressHash: bytes("address_hash").primaryKey(),
  reason: text("reason").$type<SuppressionReason>().notNull(),
  /** The codes of the reply with that reason. */
  reply: text("reply"),
  createdAt: instant("created_at").notNull().defaultNow(),
});

/** Keys generated once and never rotated, because links that must work forever are derived from them. */
export const siteKeys = pgTable("site_keys", {
  name: text("name").primaryKey(),
  value: bytes("value").notNull(),
});

/**
 * Editions of the book, imported from the operator's folder, each under the digest of everything in it. Instances
 * with the same folder share one row.
 */
export const editions = pgTable("editions", {
  digest: text("digest").primaryKey(),
  /** The landing page's own words, for the release before `site`. No longer written. */
  landing: jsonb("landing"),
  /** The site's names, words and pictures; null in editions that an older release imported. */
  site: jsonb("site"),
  importedAt: instant("imported_at").notNull().defaultNow(),
  /** When an instance last used it; editions that none uses are deleted. */
  usedAt: instant("used_at").notNull().defaultNow(),
});

export type DocumentKind = "chapter" | "extra";

export type ExtraKind = "audio-walk" | "notebook-page" | "practice";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/** The chapters and extras of an edition. Slugs are unique over both. */
export const editionDocuments = pgTable(
  "edition_documents",
  {
    edition: text("edition")
      .notNull()
      .references(() => editions.digest, { onDelete: "cascade" }),
    slug: text("slug").notNull(),
    /** What members' data is kept under, and a former slug; null if it is the slug. No other text has it as its slug. */
    id: text("id"),
    kind: text("kind").$type<DocumentKind>().notNull(),
    /** Counted from 1 within its kind, in reading order, whenever it is published. */
    position: integer("position").notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    /** When members begin to see it; null for always. */
    publishAt: instant("publish_at"),
    /** Null for chapters. */
    extraKind: text("extra_kind").$type<ExtraKind>(),
    /** The path of its sound in the edition's folder, as in `edition_files`; null for none. */
    audio: text("audio"),
    /** Whether everybody may read it, at /preview/<slug>. */
    isPublic: boolean("is_public").notNull().default(false),
    /** The part of the book that a chapter is in; null outside of parts. */
    part: text("part"),
    /** Replaces a chapter's number, such as `Prologue`. */
    label: text("label"),
    /** A BCP 47 tag and the direction of its script; null where they are the book's. */
    language: text("language"),
    dir: text("dir").$type<"ltr" | "rtl">(),
    wordCount: integer("word_count").notNull(),
    /** Sanitized. Its blocks (paragraphs and such) have the ids `p1`, `p2` and so on. */
    html: text("html").notNull(),
    /** The plain text of each block, in the order of their ids. */
    blocks: text("blocks").array().notNull(),
    /** Title, summary and text, in English, weighted A, B and D. */
    search: tsvector("search").notNull(),
    /** Title and summary alone: small enough to be read for every match. */
    headingSearch: tsvector("heading_search").generatedAlwaysAs(
      sql`ts_filter("search", '{a,b}'::"char"[])`,
    ),
    /** Digest of the inputs of its HTML, so that the next edition need not render it again. */
    renderKey: text("render_key").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.edition, table.slug] }),
    index("edition_documents_render_key_index").on(table.renderKey),
    index("edition_documents_search_index").using("gin", table.search),
  ],
);

/** The images and sounds of an edition. Their content is in `DATA_DIR/library`, under its SHA-256. */
export const editionFiles = pgTable(
  "edition_files",
  {
    edition: text("edition")
      .notNull()
      .references(() => editions.digest, { onDelete: "cascade" }),
    /** Relative to the edition's folder, with slashes, such as `chapters/map.png`. */
    path: text("path").notNull(),
    /** Of the file's content, in hexadecimal. */
    sha256: text("sha256").notNull(),
    mediaType: text("media_type").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    /** Pixels; null for sounds. */
    width: integer("width"),
    height: integer("height"),
    /** Of a sound, in seconds; null for images, and if unknown. */
    duration: doublePrecision("duration"),
  },
  (table) => [primaryKey({ columns: [table.edition, table.path] })],
);

/** Every text that the site has had, by its id, so that members are mailed about each only once. */
export const textAnnouncements = pgTable("text_announcements", {
  id: text("id").primaryKey(),
  /** When it was first seen published; null while it is not. */
  outAt: instant("out_at"),
  /** When its mails were queued, or it was published without any. */
  announcedAt: instant("announced_at"),
});

/** A member's progress in a chapter or extra. It survives new editions, since `slug` is the text's id. */
export const readingProgress = pgTable(
  "reading_progress",
  {
    userId: ofUser().notNull(),
    slug: text("slug").notNull(),
    /** The number of the block where reading stopped, counted from 1; null if that is not known. */
    block: integer("block"),
    /** The second where listening stopped; null if that is not known. */
    second: doublePrecision("second"),
    /** When it was marked as read; null if it is not. */
    readAt: instant("read_at"),
    /** When the position was last stored, to find the text that was read last. */
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.slug] })],
);

/** Members' private notes on a chapter. They survive new editions, since `slug` is the text's id. */
export const notes = pgTable(
  "notes",
  {
    userId: ofUser().notNull(),
    slug: text("slug").notNull(),
    /** The chapter's title when the note was last saved, for the export. */
    title: text("title").notNull(),
    text: text("text").notNull(),
    /** Counts the changes, so that a browser's older text never replaces a newer one unseen. */
    version: integer("version").notNull().default(1),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.slug] })],
);

/**
 * Passages that members have highlighted, by the selectors of the W3C's Web Annotation model: their words with what
 * stands before and after them, and their position. By slug, so that they survive new editions.
 */
export const highlights = pgTable(
  "highlights",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    userId: ofUser().notNull(),
    slug: text("slug").notNull(),
    /** The text's title when it was made, for the list. */
    title: text("title").notNull(),
    quote: text("quote").notNull(),
    prefix: text("prefix").notNull(),
    suffix: text("suffix").notNull(),
    /** Where the quote begins in the text's characters; if it is lost, where it began. */
    start: integer("start").notNull(),
    /** From 1 to 4. */
    color: smallint("color").notNull(),
    note: text("note").notNull().default(""),
    /** Quote and note as they are searched. */
    searched: text("searched").notNull(),
    /** Whether the text no longer has the words. */
    isLost: boolean("is_lost").notNull().default(false),
    /** The `renderKey` of the text in which it was last looked for. */
    renderKey: text("render_key").notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [index("highlights_user_id_slug_index").on(table.userId, table.slug)],
);

/** The secret addresses of members' podcast feeds. */
export const podcastFeeds = pgTable("podcast_feeds", {
  userId: ofUser().primaryKey(),
  /** In the feed's address; not hashed, because its member is shown it again. */
  token: text("token").notNull().unique(),
  createdAt: instant("created_at").notNull().defaultNow(),
});

/**
 * All memberships ever, for statistics: one row per paid subscription at Stripe. A row outlives its account, and then
 * has no reference to it.
 */
export const memberships = pgTable(
  "memberships",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** Null once the account is deleted. */
    stripeSubscriptionId: text("stripe_subscription_id"),
    userId: uuid("user_id").references(() => users.id, { onDelete: "set null" }),
    /** The same for all memberships of one person; drawn at random, and known nowhere else. */
    person: uuid("person").notNull(),
    startedAt: instant("started_at").notNull(),
    /** When it ended; null while it is paid for. */
    endedAt: instant("ended_at"),
    /** The price a month, in Stripe's minor unit of the currency. */
    monthlyAmount: integer("monthly_amount").notNull(),
    currency: text("currency").notNull(),
    /** Why it was canceled, in Stripe's word; null if nobody said. */
    reason: text("reason"),
  },
  (table) => [
    uniqueIndex("memberships_stripe_subscription_id_unique").on(table.stripeSubscriptionId),
    index("memberships_user_id_index").on(table.userId),
  ],
);

/** Confirmed subscribers who have left the list, as two dates each. Written by a trigger (migration 0008). */
export const formerSubscribers = pgTable("former_subscribers", {
  joinedOn: date("joined_on").notNull(),
  leftOn: date("left_on").notNull(),
});

/** Accounts that were deleted, as two dates each. Written by a trigger (migration 0008). */
export const formerAccounts = pgTable("former_accounts", {
  joinedOn: date("joined_on").notNull(),
  leftOn: date("left_on").notNull(),
});

/** The salts of each day's hashes of visitors; deleted with the hashes. */
export const visitorSalts = pgTable("visitor_salts", {
  /** In UTC. */
  day: date("day").primaryKey(),
  salt: bytes("salt").notNull(),
});

/** The visitors of a page today, as hashes of address and browser with the day's salt. */
export const visitorHashes = pgTable(
  "visitor_hashes",
  {
    day: date("day").notNull(),
    /** The page's name in the metrics, such as `/auth`. */
    page: text("page").notNull(),
    hash: bytes("hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page, table.hash] })],
);

/** How many visitors a page had on a day that is over. */
export const dailyVisitors = pgTable(
  "daily_visitors",
  {
    day: date("day").notNull(),
    /** As in `visitor_hashes`; empty for the site as a whole. */
    page: text("page").notNull(),
    visitors: integer("visitors").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page] })],
);

/** An open or resolved alert, and whether the operator was notified of it. */
export const operatorAlerts = pgTable(
  "operator_matters",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** Such as `disk-low`; what each means: `app/features/checks/alerts.server.ts`. */
    kind: text("kind").notNull(),
    /** The kind and what it is about, such as `dispute:dp_123`; at most one alert with it is open. */
    key: text("key").notNull(),
    /** Facts for its mails: numbers, times and ids, never a person's name or address. */
    facts: jsonb("facts").$type<Record<string, string | number>>().notNull(),
    openedAt: instant("opened_at").notNull(),
    /** When it was last found to go on, to the hour. */
    seenAt: instant("seen_at").notNull(),
    /** Since when all is well again; null while it is not. */
    goodSince: instant("good_since"),
    /** When it is to be reported, unless it is resolved before. */
    reportDueAt: instant("report_due_at").notNull(),
    /** When it was logged and, if there was an address, its mail was queued. */
    reportedAt: instant("reported_at"),
    /** Whether a mail about it was queued, so that its end is mailed too. */
    isMailed: boolean("is_mailed").notNull().default(false),
    resolvedAt: instant("cleared_at"),
  },
  (table) => [
    uniqueIndex("operator_matters_open_unique")
      .on(table.key)
      .where(sql`${table.resolvedAt} is null`),
    index("operator_matters_key_index").on(table.key, table.reportedAt),
  ],
);

/** Recurring events that indicate the site's health, counted since another signal reset them. */
export const operatorSignals = pgTable("operator_signals", {
  name: text("name").primaryKey(),
  count: integer("count").notNull(),
  firstAt: instant("first_at").notNull(),
  lastAt: instant("last_at").notNull(),
});

/** Starts of the program, to detect crash loops. */
export const programStarts = pgTable(
  "program_starts",
  {
    id: uuid("id").primaryKey(),
    /** Names the machine and its DATA_DIR, as a hash. */
    place: text("place").notNull(),
    startedAt: instant("started_at").notNull().defaultNow(),
    /** When it was stopped in good order; null while it runs, and for ever if it crashed or was killed. */
    stoppedAt: instant("stopped_at"),
  },
  (table) => [index("program_starts_started_at_index").on(table.startedAt)],
);

/** Renewals whose first charge failed, for the statistics. Without Stripe's ids, a row identifies nobody. */
export const renewalFailures = pgTable(
  "renewal_failures",
  {
    /** SHA-256 of the invoice's id. */
    invoiceHash: bytes("invoice_hash").primaryKey(),
    failedAt: instant("failed_at").notNull(),
    /** When it was paid after all; null if it was not. */
    recoveredAt: instant("recovered_at"),
  },
  (table) => [index("renewal_failures_failed_at_index").on(table.failedAt)],
);

/** What the desk edits: letters, texts of the edition, and pages of the site. */
export type DraftKind = "letter" | "edition";

/**
 * What an author is writing at the desk, as typed, with all its mistakes. A letter is a draft until it is sent; a file of the
 * edition is one until it is written to the folder.
 */
export const deskDrafts = pgTable(
  "desk_drafts",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    kind: text("kind").notNull().$type<DraftKind>(),
    /** A file's path in the edition; null for a letter. */
    path: text("path"),
    /** The whole file, with its front matter. */
    content: text("content").notNull(),
    /** SHA-256 of the file that an edition's draft began with; null for a new file and for a letter. */
    baseHash: text("base_hash"),
    /** Counts the saves, so that of two authors who edit it neither overwrites the other's. */
    version: integer("version").notNull().default(1),
    /** Who saved it last; null once that account is deleted. */
    savedBy: uuid("saved_by").references(() => users.id, { onDelete: "set null" }),
    savedAt: instant("saved_at").notNull().defaultNow(),
  },
  (table) => [uniqueIndex("desk_drafts_path_unique").on(table.path)],
);

/** Files that were uploaded at the desk: a letter's pictures, and lists until they are imported. */
export const deskFiles = pgTable(
  "desk_files",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** The letter that a picture belongs to; null for a list. */
    draftId: uuid("draft_id").references(() => deskDrafts.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    content: bytes("content").notNull(),
    uploadedBy: uuid("uploaded_by").references(() => users.id, { onDelete: "cascade" }),
    /** When it is deleted; null for a picture, which its letter keeps. */
    expiresAt: instant("expires_at"),
  },
  (table) => [
    uniqueIndex("desk_files_name_unique").on(table.draftId, table.name),
    index("desk_files_expires_at_index").on(table.expiresAt),
  ],
);

/** What authors have done at the desk. */
export const deskChanges = pgTable(
  "desk_changes",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    at: instant("at").notNull().defaultNow(),
    /** Null once the account is deleted. */
    userId: uuid("user_id").references(() => users.id, { onDelete: "set null" }),
    /** A sentence without a subject, such as "Paused the letter “Fog”". It names no person. */
    what: text("what").notNull(),
    /** The account that it concerns; null for none, and once that is deleted. */
    aboutUserId: uuid("about_user_id").references(() => users.id, { onDelete: "set null" }),
  },
  (table) => [index("desk_changes_at_index").on(table.at)],
);

export type DeskDraft = typeof deskDrafts.$inferSelect;
export type User = typeof users.$inferSelect;
export type Session = typeof sessions.$inferSelect;
export type EmailChange = typeof emailChanges.$inferSelect;
export type Passkey = typeof passkeys.$inferSelect;
export type Profile = typeof profiles.$inferSelect;
export type StripeSite = typeof stripeSite.$inferSelect;
export type StripePrice = typeof stripePrices.$inferSelect;
export type Subscriber = typeof subscribers.$inferSelect;
export type Campaign = typeof campaigns.$inferSelect;
export type Mail = typeof mails.$inferSelect;
export type EditionDocument = typeof editionDocuments.$inferSelect;
export type EditionFile = typeof editionFiles.$inferSelect;
export type Note = typeof notes.$inferSelect;
export type Highlight = typeof highlights.$inferSelect;
export type OperatorAlert = typeof operatorAlerts.$inferSelect;
