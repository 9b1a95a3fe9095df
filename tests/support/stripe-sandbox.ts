import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { onTestFinished } from "vitest";
import { type StripeSandboxOptions, startStripeSandbox } from "~/sandbox/stripe/server.server";

export const SANDBOX_KEY = "sk_test_sandboxTests";
export const SANDBOX_WEBHOOK_SECRET = "whsec_sandboxTests";
export const SANDBOX_PRICE = {
  id: "price_premiumMonthly",
  productId: "prod_premium",
  unitAmount: 999,
  currency: "usd",
  interval: "month",
} as const;

/** A running local Stripe, controlled by a test. */
export type TestSandbox = {
  stripe: Stripe;
  /** The origin of its API and pages. */
  origin: string;
  port: number;
  /** Calls the control API; rejects unless the status is 200. */
  control<Result>(path: string, body?: object): Promise<Result>;
  close(): Promise<void>;
};

/** Starts a local Stripe on a free port, by default in memory; it is stopped after the test. */
export async function openSandbox(
  options: Partial<StripeSandboxOptions> = {},
): Promise<TestSandbox> {
  const sandbox = await startStripeSandbox({
    port: 0,
    stateFile: null,
    secretKey: SANDBOX_KEY,
    webhookSecret: SANDBOX_WEBHOOK_SECRET,
    webhookUrl: null,
    price: SANDBOX_PRICE,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const origin = `http://127.0.0.1:${sandbox.port}`;
  return {
    origin,
    port: sandbox.port,
    stripe: new Stripe(SANDBOX_KEY, {
      host: "127.0.0.1",
      port: sandbox.port,
      protocol: "http",
      maxNetworkRetries: 0,
      telemetry: false,
    }),
    close: () => sandbox.close(),
    control: async (path, body = {}) => {
      const response = await fetch(`${origin}/_control/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

/** A webhook request as received. */
type Received = { event: Stripe.Event };

/** A server that accepts webhooks, checks their signatures and responds as the test sets. */
export type WebhookSite = {
  url: string;
  received: Received[];
  /** The status of responses from now on; 200 at first. Null closes the connection. */
  answerWith(status: number | null): void;
  /** Resolves with the first event of a type, already received or not. */
  first(type: string): Promise<Received>;
  close(): Promise<void>;
};

/** Opens a webhook site; a request with an invalid signature gets a 400. */
export async function openWebhookSite(
  secret = SANDBOX_WEBHOOK_SECRET,
  port = 0,
): Promise<WebhookSite> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let status: number | null = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const signature = request.headers["stripe-signature"] ?? "";
      let event: Stripe.Event;
      try {
        event = Stripe.webhooks.constructEvent(body, signature, secret);
      } catch {
        response.writeHead(400).end();
        return;
      }
      received.push({ event });
      for (const check of waiting) check();
      if (status === null) request.socket.destroy();
      else response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/stripe`,
    received,
    answerWith: (next) => {
      status = next;
    },
    first: (type) =>
      new Promise((resolve) => {
        const check = () => {
          const found = received.find(({ event }) => event.type === type);
          if (!found) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    close,
  };
}

/** Opens a checkout session for a new customer or a given one; `more` adds parameters. */
export async function openCheckout(
  { stripe }: TestSandbox,
  customer?: string,
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer ?? (await stripe.customers.create({ email: "reader@example.com" })).id,
    client_reference_id: "user-1",
    line_items: [{ price: SANDBOX_PRICE.id, quantity: 1 }],
    success_url: "http://localhost:3000/checkout/success?session_id={CHECKOUT_SESSION_ID}",
    cancel_url: "http://localhost:3000/checkout/cancelled",
    ...more,
  });
}

/** A customer with a paid subscription. */
export async function subscribe(
  sandbox: TestSandbox,
  card = "4242424242424242",
): Promise<{ customer: string; subscription: Stripe.Subscription }> {
  const customer = await sandbox.stripe.customers.create({ email: "reader@example.com" });
  const subscription = await sandbox.control<Stripe.Subscription>(
    `customers/${customer.id}/subscribe`,
    { card },
  );
  return { customer: customer.id, subscription };
}
