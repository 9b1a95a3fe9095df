import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgSequence,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Accounts. Email addresses are unique, whatever their case (specification, 3 and 5). */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    passwordHash: text("password_hash").notNull(),
    avatarUrl: text("avatar_url"),
    /** When the owner was last notified by mail of an attempt to sign up with this address. */
    signUpNoticeSentAt: instant("sign_up_notice_sent_at"),
    createdAt: instant("created_at").notNull().defaultNow(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [uniqueIndex("users_email_unique").on(sql`lower(${table.email})`)],
);

/** Signed-in browsers. The cookie holds a random token, the row only the token's SHA-256. */
export const sessions = pgTable(
  "sessions",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: instant("created_at").notNull().defaultNow(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("sessions_user_id_index").on(table.userId),
    index("sessions_expires_at_index").on(table.expiresAt),
  ],
);

/** Requested password resets, at most one per user. The row holds the SHA-256 of the link's token. */
export const passwordResets = pgTable(
  "password_resets",
  {
    userId: uuid("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
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

/** Numbers the snapshots of customers at Stripe, so that an older one never overwrites a newer one. */
export const billingSyncNumbers = pgSequence("billing_sync_numbers");

/**
 * Billing data of a user. `stripe_price_id` and `stripe_current_period_end` decide access (specification, 4); the
 * rest is needed to keep these two in sync with Stripe.
 */
export const profiles = pgTable(
  "profiles",
  {
    id: uuid("id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    stripeCustomerId: text("stripe_customer_id"),
    /** The price actually paid, whichever is on sale now. */
    stripePriceId: text("stripe_price_id"),
    /** End of access, including the leeway of a renewal or the grace period of an unpaid one; not Stripe's period end. */
    stripeCurrentPeriodEnd: instant("stripe_current_period_end"),
    stripeSubscriptionId: text("stripe_subscription_id"),
    stripeSubscriptionStatus: text("stripe_subscription_status"),
    stripeCancelAtPeriodEnd: boolean("stripe_cancel_at_period_end").notNull().default(false),
    /** When a cancelled subscription ends, which may be several charges away; null if it renews. */
    stripeCancelAt: instant("stripe_cancel_at"),
    /** Why a live subscription gives no access: its payment was refunded, or is disputed. */
    accessWithdrawn: text("access_withdrawn").$type<"refund" | "dispute">(),
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
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("profiles_stripe_customer_id_unique").on(table.stripeCustomerId),
    index("profiles_sync_due_at_index").on(table.syncDueAt),
  ],
);

/** Stripe prices that members pay or paid. What is stored of a price never changes at Stripe. */
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

/** Newsletter addresses. */
export const subscribers = pgTable(
  "subscribers",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    /** When the address was confirmed: at once, or with double opt-in when its owner confirmed it. */
    confirmedAt: instant("confirmed_at"),
    /** When its owner was last asked by mail to confirm it, so that nobody's inbox can be flooded. */
    confirmationSentAt: instant("confirmation_sent_at"),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("subscribers_email_unique").on(sql`lower(${table.email})`),
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

export type User = typeof users.$inferSelect;
export type Profile = typeof profiles.$inferSelect;
export type StripePrice = typeof stripePrices.$inferSelect;
export type Subscriber = typeof subscribers.$inferSelect;
