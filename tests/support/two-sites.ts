import { onTestFinished } from "vitest";
import { env, setEnvironment } from "~/env.server";
import { type SetupOptions, setUpStripe } from "~/features/billing/stripe-setup.server";
import { connectDatabase, type Database, setDatabase } from "~db/client";
import { createTestDatabase } from "./postgres";
import { SESSION_SECRET } from "./session-secret";
import { SANDBOX_KEY, type TestSandbox } from "./stripe-sandbox";

/** One of several sites that share a Stripe account, each with its own database. */
export type SharingSite = {
  variables: Record<string, string>;
  /** Makes it the site of this process, freshly started: settings, database and caches. */
  enter(): void;
  /** Runs `stripe setup` and sets what it prints. */
  setUp(options?: SetupOptions): Promise<void>;
};

let starts = 0;

/** Opens a site at an address, in its own database or one given; it ends with the test. */
export async function openSharingSite(
  account: TestSandbox,
  { url, secretKey, database }: { url: string; secretKey: string; database?: Database },
): Promise<SharingSite & { database: Database }> {
  const own = database ?? (await newDatabase());
  const site = {
    database: own,
    variables: {
      STRIPE_SECRET_KEY: SANDBOX_KEY,
      STRIPE_API_BASE: `http://localhost:${account.port}`,
      PUBLIC_URL: url,
      SESSION_SECRET,
      LOG_LEVEL: "silent",
    } as Record<string, string>,
    enter: () => {
      setDatabase(own);
      // a changed rate creates a new client, with an empty cache
      site.variables.STRIPE_CALLS_PER_SECOND = String(1_000 + ++starts);
      setEnvironment(site.variables, { partialStripe: true });
      // the settings rightly refuse a live key beside STRIPE_API_BASE
      for (const known of [env().STRIPE, env().STRIPE_API]) {
        if (known) Object.assign(known, { secretKey });
      }
    },
    setUp: async (options: SetupOptions = {}) => {
      site.enter();
      const { priceId, webhook } = await setUpStripe(options);
      site.variables.STRIPE_PRICE_ID = priceId;
      if (webhook.kind === "new") site.variables.STRIPE_WEBHOOK_SECRET = webhook.secret;
      site.enter();
    },
  };
  return site;
}

async function newDatabase(): Promise<Database> {
  const testDatabase = await createTestDatabase();
  const database = await connectDatabase(testDatabase.url);
  onTestFinished(async () => {
    setDatabase(null);
    await database.close();
    await testDatabase.drop();
  });
  return database;
}
