import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { clearCurrentEdition } from "~/features/library/current-edition.server";
import { connectDatabase, setDatabase } from "~db/client";
import { createTestDatabase } from "./postgres";
import { temporaryDirectory } from "./program";
import { SESSION_SECRET } from "./session-secret";

/** The real services a feature needs: its own database and, optionally, a local Stripe. */
export type TestSite = {
  databaseUrl: string;
  sandboxOrigin: string;
  /** Restores the settings that a test has changed; `more` changes some again. */
  restoreEnvironment(more?: Record<string, string>): void;
  close(): Promise<void>;
};

type Options = {
  /** Runs the local Stripe; its webhooks go to `webhook`, or nowhere. */
  payments?: { webhook?: (request: Request) => Promise<Response> };
  variables?: Record<string, string>;
};

/**
 * The site of one test file; call it at the file's top level. After each test it restores settings and clock, and
 * removes mocks and the local Stripe's faults.
 */
export function testSite(options: Options = {}): TestSite {
  const site = {} as TestSite;
  beforeAll(async () => void Object.assign(site, await openTestSite(options)));
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    site.restoreEnvironment();
    if (options.payments)
      await fetch(`${site.sandboxOrigin}/_control/faults/clear`, { method: "POST" });
  });
  afterAll(() => site.close());
  return site;
}

/** Opens a migrated database and, optionally, a local Stripe. */
export async function openTestSite({ payments, variables }: Options = {}): Promise<TestSite> {
  const directory = temporaryDirectory();
  const testDatabase = await createTestDatabase();
  const database = await connectDatabase(testDatabase.url);
  setDatabase(database);

  const receiver = payments?.webhook ? await receive(payments.webhook) : null;
  const webhookUrl = receiver && `http://127.0.0.1:${receiver.port}/webhooks/stripe`;
  const sandbox = payments ? await startSandbox(webhookUrl) : null;

  const settings = {
    DATA_DIR: directory.path,
    SESSION_SECRET,
    LOG_LEVEL: "silent",
    RATE_LIMIT_FACTOR: "1000",
    MAIL_FROM: "The Golden Path <letters@book.test>",
    ...(sandbox ? { PAYMENTS: "sandbox", STRIPE_SANDBOX_PORT: String(sandbox.port) } : {}),
    ...variables,
  };
  setEnvironment(settings);

  return {
    databaseUrl: testDatabase.url,
    sandboxOrigin: sandbox ? `http://127.0.0.1:${sandbox.port}` : "",
    restoreEnvironment: (more) => setEnvironment({ ...settings, ...more }),
    close: async () => {
      await sandbox?.close();
      receiver?.server.close();
      // the process continues with another file's site
      clearCurrentEdition();
      setDatabase(null);
      await database.close();
      await testDatabase.drop();
      directory.remove();
    },
  };
}

/** Loads the payment modules late, since that takes longer than many tests without payments. */
async function startSandbox(webhookUrl: string | null) {
  const { WEBHOOK_EVENTS } = await import("~/features/billing/webhook.server");
  const { startStripeSandbox } = await import("~/sandbox/stripe/server.server");
  return startStripeSandbox({
    port: 0,
    stateFile: null,
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecret: SANDBOX_STRIPE.webhookSecret,
    webhookUrl,
    webhookEvents: [...WEBHOOK_EVENTS],
    price: {
      id: SANDBOX_STRIPE.priceId,
      productId: SANDBOX_STRIPE.productId,
      unitAmount: 999,
      currency: "usd",
      interval: "month",
    },
  });
}

/** An HTTP server that passes requests to a handler, for webhooks. */
async function receive(
  handler: (request: Request) => Promise<Response>,
): Promise<{ server: Server; port: number }> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const response = await handler(
      new Request(`http://localhost${incoming.url}`, {
        method: incoming.method,
        headers,
        body: Buffer.concat(chunks),
      }),
    );
    outgoing.writeHead(response.status).end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
