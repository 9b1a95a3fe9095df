import fc from "fast-check";
import type Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { ensureCustomer } from "~/features/billing/customer.server";
import { fetchBilling } from "~/features/billing/customer-billing.server";
import { reconcile, reconcileAll } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { unlinkCustomer } from "~/features/billing/unlink-customer.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { ensureProfile, findProfile } from "~db/queries/profiles";
import { deleteUser } from "../support/delete-user";
import { type Truth, truthAboutCustomer } from "../support/paid-periods";
import { control, newReader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

/** The number of random membership histories in one run. */
const SEQUENCES = 1_000;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;

let site: TestSite;
let otherPrices: string[];
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
  const { productId: product } = SANDBOX_STRIPE;
  const drafts = [{ unit_amount: 1_499 }, { unit_amount: 9_900, recurring: "year" as const }];
  const made = await Promise.all(
    drafts.map(({ unit_amount, recurring: interval = "month" as const }) =>
      stripeClient().prices.create({
        product,
        currency: "usd",
        unit_amount,
        recurring: { interval },
      }),
    ),
  );
  otherPrices = made.map(({ id }) => id);
});
afterAll(() => site.close());

/** What can happen at Stripe and here. What is not possible just then (a 4xx of the sandbox) does not happen. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("advance"), days: fc.integer({ min: 1, max: 35 }) }),
  },
  {
    weight: 14,
    arbitrary: fc.constantFrom(
      ...[
        { do: "subscribe" },
        { do: "period-end" },
        { do: "failed-renewal" },
        { do: "failed-renewal" },
        { do: "fall-behind" },
        { do: "write-off" },
        { do: "card", card: "4000000000000341" },
        { do: "card", card: "4242424242424242" },
        { do: "default-card", card: "4242424242424242" },
        { do: "recover" },
        { do: "write-off" },
        { do: "void" },
        { do: "give-up", afterRetries: "cancel" },
        { do: "give-up", afterRetries: "unpaid" },
        { do: "give-up", afterRetries: "past_due" },
        { do: "cancel-at-period-end" },
        { do: "cancel-at", days: 40 },
        { do: "resume" },
        { do: "cancel" },
        { do: "pause" },
        { do: "price", price: 0 },
        { do: "price", price: 1 },
        { do: "refund" },
        { do: "refund", payment: "first" },
        { do: "refund", amount: 300 },
        { do: "dispute" },
        { do: "dispute", payment: "first" },
        { do: "dispute", inquiry: true },
        { do: "close-dispute", won: true },
        { do: "close-dispute", won: false },
        { do: "lose-link" },
      ],
    ),
  },
);

/** One step: something happens, then some of the events on their way arrive, in any order, or get lost. */
const step = fc.record({
  happening,
  /** Each picks one event of those made so far: late, twice or out of order as it comes. */
  deliveries: fc.array(fc.nat(), { maxLength: 4 }),
});

type Step = { happening: { do: string; [field: string]: unknown }; deliveries: number[] };

it("keeps every row correct, gives no access without payment and denies none with it, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      await control(site.sandboxOrigin, "reset");
      const life = await Life.begin();
      for (const { happening, deliveries } of steps as Step[]) {
        await life.happen(happening);
        for (const pick of deliveries) await life.deliver(pick);
      }
      await life.expectTruthAfterSyncs();
      await deleteUser(life.userId);
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  );
}, 900_000);

/** One reader's life with their membership, as the sandbox's clock has it. */
class Life {
  #subscription = "";
  readonly #events: Stripe.Event[] = [];
  /** Whether the row has been synced with the membership, and has not lost its customer since. */
  #isKnown = false;

  private constructor(
    readonly userId: string,
    readonly customer: string,
  ) {}

  static async begin(): Promise<Life> {
    const reader = await newReader();
    const { id } = await ensureCustomer(reader, await ensureProfile(reader.id));
    const life = new Life(reader.id, id);
    await life.#subscribe();
    return life;
  }

  async happen({ do: what, ...fields }: Step["happening"]): Promise<void> {
    try {
      await this.#play(what, fields);
    } catch (error) {
      // what the sandbox refuses, such as paying what is not owed, does not happen
      if (!/^Error: (subscriptions|customers|disputes)\//.test(String(error))) throw error;
    }
    await this.#collectEvents();
  }

  async #play(what: string, fields: Record<string, unknown>): Promise<void> {
    const subscription = `subscriptions/${this.#subscription}`;
    switch (what) {
      case "advance":
        return this.#advance(Number(fields.days) * DAY);
      case "period-end":
        return this.#advance(await this.#secondsToRenewal());
      case "failed-renewal":
        await this.#ask(`${subscription}/card`, { card: "4000000000000341" });
        // the draft is an hour old by then
        return this.#advance((await this.#secondsToRenewal()) + 2 * HOUR);
      case "fall-behind":
        // left past due for good, as an author can choose, and for a second period
        await this.#ask("settings", { afterRetries: "past_due" });
        await this.#ask(`${subscription}/card`, { card: "4000000000000341" });
        for (const _period of [1, 2]) {
          await this.#advance((await this.#secondsToRenewal()) + 2 * HOUR);
        }
        return;
      case "subscribe":
        // the site lets nobody with a subscription that is not over check out
        if (await this.#hasEnded()) await this.#subscribe();
        return;
      case "lose-link":
        // a restored backup of before the first checkout
        await unlinkCustomer(this.userId);
        this.#isKnown = false;
        return;
      case "default-card":
        await this.#ask(`customers/${this.customer}/card`, fields);
        return;
      case "price":
        await this.#ask(`${subscription}/price`, { priceId: otherPrices[Number(fields.price)] });
        return;
      case "close-dispute": {
        const { data } = await stripeClient().disputes.list({ limit: 1 });
        if (data[0]) await this.#ask(`disputes/${data[0].id}/close`, fields);
        return;
      }
      default:
        await this.#ask(`${subscription}/${what}`, fields);
    }
  }

  #ask(path: string, fields: Record<string, unknown>) {
    return control(site.sandboxOrigin, path, fields);
  }

  async #subscribe(): Promise<void> {
    const { id } = await control<{ id: string }>(
      site.sandboxOrigin,
      `customers/${this.customer}/subscribe`,
      { card: "4242424242424242", priceId: SANDBOX_STRIPE.priceId },
    );
    this.#subscription = id;
  }

  async #hasEnded(): Promise<boolean> {
    const { data } = await stripeClient().subscriptions.list({ customer: this.customer });
    return data.every(({ status }) => status === "incomplete_expired");
  }

  /** A minute into the next period, when Stripe has made the invoice and not yet tried to collect it. */
  async #secondsToRenewal(): Promise<number> {
    const { items } = await stripeClient().subscriptions.retrieve(this.#subscription);
    const end = items.data[0]?.current_period_end ?? 0;
    return Math.max(0, end + 60 - seconds(await clock()));
  }

  /**
   * Moves the clock on while the timer runs as it does: every row is looked at when it is due. Just before
   * each of its looks, and so when neither webhook nor timer has said a word of a renewal yet, nobody whose
   * membership goes on and is paid must be outside.
   */
  async #advance(length: number): Promise<void> {
    let now = await clock();
    const target = seconds(now) + length;
    while (seconds(now) < target) {
      const wasInside = await this.#isInside(now);
      const due = (await findProfile(this.userId))?.syncDueAt;
      const next = Math.min(
        target,
        seconds(now) + DAY,
        due && due > now ? Math.ceil(due.getTime() / 1_000) : target,
      );
      now = await moveClock(Math.max(1, next - seconds(now)));
      if (wasInside && this.#isKnown && !(await this.#isInside(now))) {
        const { isPaidNow } = await this.#truth(now);
        expect(isPaidNow, "somebody who paid is outside").toBe(false);
      }
      await reconcile(now);
    }
  }

  /** One of the events made so far arrives. A row that is told of anything knows of everything. */
  async deliver(pick: number): Promise<void> {
    const event = this.#events[pick % Math.max(this.#events.length, 1)];
    if (!event) return;
    const payload = JSON.stringify(event);
    const { webhookSecret: secret } = SANDBOX_STRIPE;
    const signature = stripeClient().webhooks.generateTestHeaderString({ payload, secret });
    const { message } = { ...(await receiveWebhook(payload, signature)) };
    const now = await clock();
    const truth = await this.#truth(now);
    const isInside = await this.#isInside(now);
    if (isInside) {
      expect(truth.latestEndOfAnyGrace, "access without a paid or graced period").toBeGreaterThan(
        seconds(now),
      );
    }
    if (message !== "Done." || !(await findProfile(this.userId))?.stripeCustomerId) return;
    this.#isKnown = true;
    expect(isInside, "a row that was just told").toBe(truth.givesAccess);
  }

  async expectTruthAfterSyncs(): Promise<void> {
    // what is due by now happens at Stripe first; otherwise its own timer would run between two snapshots
    await moveClock(0);
    const isLive = !(await this.#hasEnded());
    const { unresolved } = await reconcileFromStripe();
    expect(unresolved).toEqual([]);
    const row = await findProfile(this.userId);
    if (isLive) expect(row?.stripeCustomerId, "the link to the customer").toBe(this.customer);
    const isLinked = row?.stripeCustomerId === this.customer;
    expect(await reconcileAll()).toEqual({ synced: isLinked ? 1 : 0, failed: 0, unknown: [] });
    const synced = await findProfile(this.userId);
    if (isLinked) expect(synced).toMatchObject((await fetchBilling(this.customer)).state);
    const now = await clock();
    const truth = await this.#truth(now);
    expect(await this.#isInside(now)).toBe(truth.givesAccess);
    expect(truth.chargedWhileDisputed, "a disputed membership was charged again").toEqual([]);
  }

  #truth(now: Date): Promise<Truth> {
    return truthAboutCustomer(this.customer, seconds(now));
  }

  async #isInside(now: Date): Promise<boolean> {
    return isSubscribed(await findProfile(this.userId), now);
  }

  async #collectEvents(): Promise<void> {
    const known = new Set(this.#events.map(({ id }) => id));
    const { data } = await stripeClient().events.list({ limit: 100 });
    this.#events.push(...data.filter(({ id }) => !known.has(id)).reverse());
  }
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);

/** The sandbox's time, which the steps move on. */
async function clock(): Promise<Date> {
  const { now } = await control<{ now: number }>(site.sandboxOrigin, "clock", undefined, "GET");
  return new Date(now * 1_000);
}

async function moveClock(by: number): Promise<Date> {
  const { now } = await control<{ now: number }>(site.sandboxOrigin, "clock", { seconds: by });
  return new Date(now * 1_000);
}
