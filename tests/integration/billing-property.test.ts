import fc from "fast-check";
import type Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { isSubscribed } from "~/features/billing/access";
import { ensureCustomer } from "~/features/billing/customer.server";
import { askBilling, listMemberships } from "~/features/billing/customer-billing.server";
import { reconcileAll } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { ensureProfile, findProfile } from "~db/queries/profiles";
import { deleteUser } from "~db/queries/users";
import { control, newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

/** What the specification of this test asks for at least. */
const SEQUENCES = 1_000;
const DAY = 24 * 60 * 60;
const GRACE = 15 * DAY;

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

/** What can happen at Stripe. What is not possible just then (a 4xx of the sandbox) does not happen. */
const happening = fc.oneof(
  fc.record({ do: fc.constant("advance"), days: fc.integer({ min: 1, max: 35 }) }),
  fc.constantFrom(
    ...[
      { do: "subscribe" },
      { do: "period-end" },
      { do: "card", card: "4000000000000341" },
      { do: "card", card: "4242424242424242" },
      { do: "recover" },
      { do: "give-up", afterRetries: "cancel" },
      { do: "give-up", afterRetries: "unpaid" },
      { do: "cancel-at-period-end" },
      { do: "resume" },
      { do: "cancel" },
      { do: "pause" },
      { do: "refund" },
    ],
  ),
);

/** One step: something happens, then some of the events on their way arrive, in any order, or get lost. */
const step = fc.record({
  happening,
  /** Each picks one event of those made so far: late, twice or out of order as it comes. */
  deliveries: fc.array(fc.nat(), { maxLength: 4 }),
});

type Step = { happening: { do: string; [field: string]: unknown }; deliveries: number[] };

it("keeps every row true and every door shut, whatever happens to the webhooks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      await control(site.sandboxOrigin, "reset");
      const reader = await newReader();
      const { id: customer } = await ensureCustomer(reader, await ensureProfile(reader.id));
      let subscription = await subscribe(customer);
      const events: Stripe.Event[] = [];

      for (const { happening, deliveries } of steps as Step[]) {
        subscription = await happen(happening, customer, subscription);
        await expectNoFreeAccess(reader, customer);
        await collectEvents(events);
        for (const pick of deliveries) {
          const event = events[pick % Math.max(events.length, 1)];
          if (!event) continue;
          expect(await deliver(event)).toBe(200);
          await expectNoFreeAccess(reader, customer);
        }
      }

      // what is due by now happens at Stripe first: its own ticking would fall between two looks
      await control(site.sandboxOrigin, "clock", { seconds: 0 });
      expect(await reconcileAll()).toEqual({ synced: 1, failed: 0, unknown: [] });
      await expectNoFreeAccess(reader, customer);
      const row = await findProfile(reader.id);
      const { state: truth } = await askBilling(customer);
      expect(row).toMatchObject(truth);
      expect(row && isSubscribed(row, await clock())).toBe(await isPaidFor(customer));
      await deleteUser(reader.id);
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  );
}, 600_000);

async function subscribe(customer: string): Promise<string> {
  await control(site.sandboxOrigin, `customers/${customer}/subscribe`, {
    card: "4242424242424242",
    priceId: SANDBOX_STRIPE.priceId,
  });
  const [newest] = await listMemberships(customer);
  return newest?.id ?? "";
}

async function happen(
  { do: what, ...fields }: Step["happening"],
  customer: string,
  subscription: string,
): Promise<string> {
  try {
    if (what === "advance") await control(site.sandboxOrigin, "clock", fields);
    else if (what === "period-end") await advanceToRenewal(subscription);
    else if (what === "card") {
      await control(site.sandboxOrigin, `customers/${customer}/card`, fields);
    } else if (what === "subscribe") {
      // the site lets nobody with a subscription that is not over check out
      const all = await listMemberships(customer);
      if (all.every(({ status }) => /^(canceled|incomplete_expired)$/.test(status))) {
        return await subscribe(customer);
      }
    } else await control(site.sandboxOrigin, `subscriptions/${subscription}/${what}`, fields);
  } catch (error) {
    if (!/subscriptions\/|customers\/|sub_/.test(String(error))) throw error;
  }
  return subscription;
}

/** A minute into the next period, when Stripe has made the invoice and not yet tried to collect it. */
async function advanceToRenewal(subscription: string): Promise<void> {
  const { items } = await stripeClient().subscriptions.retrieve(subscription);
  const end = items.data[0]?.current_period_end ?? 0;
  const seconds = Math.max(0, end + 60 - Math.floor((await clock()).getTime() / 1000));
  await control(site.sandboxOrigin, "clock", { seconds });
}

async function collectEvents(events: Stripe.Event[]): Promise<void> {
  const known = new Set(events.map(({ id }) => id));
  const { data } = await stripeClient().events.list({ limit: 100 });
  events.push(...data.filter(({ id }) => !known.has(id)).reverse());
}

async function deliver(event: Stripe.Event): Promise<number> {
  const payload = JSON.stringify(event);
  const signature = stripeClient().webhooks.generateTestHeaderString({
    payload,
    secret: SANDBOX_STRIPE.webhookSecret,
  });
  return (await receiveWebhook(payload, signature)).status;
}

/** The sandbox's time, which the steps move on. */
async function clock(): Promise<Date> {
  const { now } = await control<{ now: number }>(site.sandboxOrigin, "clock", undefined, "GET");
  return new Date(now * 1000);
}

async function expectNoFreeAccess(reader: Reader, customer: string): Promise<void> {
  const row = await findProfile(reader.id);
  if (!row || !isSubscribed(row, await clock())) return;
  expect(await hasPaidOrGracedPeriod(customer), "access without a paid or graced period").toBe(
    true,
  );
}

/** From the invoices alone, not from the rule under test: is now within a period paid or in its grace? */
async function hasPaidOrGracedPeriod(customer: string): Promise<boolean> {
  const now = (await clock()).getTime() / 1000;
  const { data } = await stripeClient().invoices.list({ customer, limit: 100 });
  return data.some((invoice) =>
    invoice.lines.data.some(({ period }) => {
      const isFirst = invoice.billing_reason === "subscription_create";
      const end = invoice.status === "paid" ? period.end : isFirst ? 0 : period.start + GRACE;
      return period.start <= now && now < end;
    }),
  );
}

/** Whether somebody should have access now, as the subscription's own status and invoices say. */
async function isPaidFor(customer: string): Promise<boolean> {
  const alive = (await listMemberships(customer)).some(({ status }) =>
    ["active", "trialing", "past_due"].includes(status),
  );
  return alive && (await hasPaidOrGracedPeriod(customer));
}
