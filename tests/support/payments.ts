import { SANDBOX_STRIPE } from "~/env.server";
import { openSession, setSession } from "~/features/accounts/sessions.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { ensureProfile, findProfile, updateProfile } from "~db/queries/profiles";
import { insertUser } from "~db/queries/users";

/** Settings of a site that sells a price of the local Stripe at `origin`, and treats it as the real Stripe. */
export const stripeSettings = (origin: string, priceId: string) => ({
  PAYMENTS: "stripe",
  STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
  STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef",
  STRIPE_PRICE_ID: priceId,
  STRIPE_API_BASE: origin,
  STRIPE_SANDBOX_PORT: "",
});

/** A signed-in account, with its browser's cookie. */
export type Reader = { id: string; email: string; cookie: string };

let count = 0;

/** Creates an account with a session. */
export async function newReader(): Promise<Reader> {
  const email = `reader-${process.pid}-${Date.now()}-${++count}@example.test`;
  const user = await insertUser({ email, passwordHash: "not a hash" });
  if (!user) throw new Error("The address is taken.");
  const session = await openSession(user, null, { userAgent: null });
  if (!session) throw new Error("The session was not opened.");
  const setCookie = await setSession(session);
  return { id: user.id, email, cookie: setCookie.split(";")[0] ?? "" };
}

/** Creates an account with a session, and with access until then. */
export async function newReaderUntil(periodEnd: Date | null): Promise<Reader> {
  const reader = await newReader();
  await ensureProfile(reader.id);
  await updateProfile(reader.id, { stripePriceId: "price_1", stripeCurrentPeriodEnd: periodEnd });
  return reader;
}

/** The cookie of a new account with access until then. */
export const signIn = async (periodEnd: Date | null) => (await newReaderUntil(periodEnd)).cookie;

/** Returns the local Stripe's requests per endpoint, such as `GET /v1/prices/:id`, since they were cleared. */
export async function requestCounts(sandboxOrigin: string): Promise<Record<string, number>> {
  type Requests = { counts: Record<string, number> };
  return (await control<Requests>(sandboxOrigin, "requests", undefined, "GET")).counts;
}

/** Calls the local Stripe's control API, by path and fields. */
export async function control<Answer = Record<string, unknown>>(
  sandboxOrigin: string,
  path: string,
  fields?: Record<string, unknown>,
  method = "POST",
): Promise<Answer> {
  const response = await fetch(`${sandboxOrigin}/_control/${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: method === "POST" ? JSON.stringify(fields ?? {}) : undefined,
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer as Answer;
}

/** Waits until the local Stripe has delivered its webhooks, including the retried ones. */
export async function untilWebhooksSettled(sandboxOrigin: string): Promise<void> {
  const how = { timeoutMs: 25_000, retries: true };
  const { settled } = await control(sandboxOrigin, "webhooks/settle", how);
  if (!settled) throw new Error("Webhooks have not been delivered.");
}

/** An account that has paid, with its ids at Stripe. */
export type Payer = Reader & { customer: string; subscription: string; sessionId: string };

/** Creates an account that has paid at the checkout; its row is not synced. */
export async function newPayer(
  sandboxOrigin: string,
  payment: Record<string, unknown> = {},
): Promise<Payer> {
  const reader = await newReader();
  const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  const { session } = await control<{ session: { subscription: string } }>(
    sandboxOrigin,
    `sessions/${outcome.sessionId}/pay`,
    payment,
  );
  const customer = (await findProfile(reader.id))?.stripeCustomerId ?? "";
  return {
    ...reader,
    customer,
    subscription: session.subscription,
    sessionId: outcome.sessionId,
  };
}

/** Creates an account that has paid, with its row synced. */
export async function newMember(sandboxOrigin: string): Promise<Payer> {
  const payer = await newPayer(sandboxOrigin);
  await syncCustomer(payer.customer);
  return payer;
}

/** Returns the id of a reader's only live subscription at the local Stripe. */
export async function liveSubscription(reader: Reader): Promise<string> {
  const profile = await findProfile(reader.id);
  const { data } = await stripeClient().subscriptions.list({
    customer: profile?.stripeCustomerId ?? "",
  });
  if (data.length !== 1 || !data[0]) throw new Error(`${data.length} live subscriptions.`);
  return data[0].id;
}
