import { sql } from "drizzle-orm";
import { setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { type SetupOptions, setUpStripe } from "~/features/billing/stripe-setup.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { examineStripe } from "~/features/checks/check-stripe.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { newReader, type Reader } from "./payments";
import { openSandbox, SANDBOX_KEY, type TestSandbox } from "./stripe-sandbox";

/** A site with its own Stripe account, set up as its author would. */
export type AuthorsSite = {
  account: TestSandbox;
  variables: Record<string, string>;
  /** Changes settings and restarts the site, which empties the Stripe cache. */
  restart(variables?: Record<string, string>): void;
  /** Changes settings of a running site. */
  set(variables: Record<string, string>): void;
  /** Runs `stripe setup` and sets what it prints. */
  setUp(options?: SetupOptions): Promise<void>;
};

let starts = 0;

/** Creates a Stripe account, and a site for it in an emptied database; both end with the test. */
export async function openAuthorsSite(): Promise<AuthorsSite> {
  await getDatabase().db.execute(sql`truncate users, webhook_events, stripe_prices cascade`);
  const account = await openSandbox();
  // nothing listens at the site's address, so events stay undelivered
  await account.control("webhooks", { mode: "hold" });
  const site: AuthorsSite = {
    account,
    variables: {
      STRIPE_SECRET_KEY: SANDBOX_KEY,
      // also the origin of the account's pages
      STRIPE_API_BASE: `http://localhost:${account.port}`,
      PUBLIC_URL: "https://book.example",
      LOG_LEVEL: "silent",
    },
    restart: (variables = {}) => {
      // a changed rate creates a new client, with an empty cache
      site.set({ ...variables, STRIPE_CALLS_PER_SECOND: String(1_000 + ++starts) });
    },
    set: (variables) => {
      Object.assign(site.variables, variables);
      setEnvironment(site.variables, { partialStripe: true });
    },
    setUp: async (options) => {
      site.restart();
      const { priceId, webhook } = await setUpStripe(options);
      const { STRIPE_WEBHOOK_SECRET: former } = site.variables;
      site.restart({
        STRIPE_PRICE_ID: priceId,
        ...(webhook.kind === "new"
          ? { STRIPE_WEBHOOK_SECRET: [webhook.secret, ...(former ? [former] : [])].join() }
          : {}),
      });
    },
  };
  await site.setUp();
  return site;
}

/** An account that has bought premium, with its row synced. */
export async function newMember({ account, variables }: AuthorsSite): Promise<Reader> {
  const reader = await newReader();
  await buy(account, reader, variables.STRIPE_PRICE_ID ?? "");
  await syncReader(reader);
  return reader;
}

/** Buys premium for a reader without syncing the row. */
export async function buy(account: TestSandbox, reader: Reader, priceId: string): Promise<void> {
  const outcome = await startCheckout(reader, priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  await account.control(`sessions/${outcome.sessionId}/pay`);
}

export async function syncReader(reader: Reader): Promise<void> {
  await syncCustomer(await customerOf(reader));
}

export async function customerOf(reader: Reader): Promise<string> {
  const customer = (await findProfile(reader.id))?.stripeCustomerId;
  if (!customer) throw new Error("The reader has no Stripe customer.");
  return customer;
}

export async function hasAccess(reader: Reader): Promise<boolean> {
  return isSubscribed(await findProfile(reader.id), new Date());
}

/** The doctor's findings that are problems. */
export async function problemsFound() {
  return (await examineStripe()).filter(({ level }) => level !== "ok");
}
