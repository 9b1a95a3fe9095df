import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type BillingSnapshot,
  syncCustomer,
  takeSnapshot,
  writeSnapshot,
} from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { mails, type RenderedMail } from "~db/schema";
import { watchLog } from "../support/log";
import { control, newMember, newPayer, type Payer } from "../support/payments";
import { call, ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({ payments: { webhook: (request) => call(webhook, request) } });
beforeEach(() => play("webhooks", { mode: "drop" }));
afterEach(async () => {
  await play("webhooks/settle");
  await getDatabase().db.execute(sql`truncate mails`);
});

const play = <Answer = Record<string, unknown>>(path: string, fields: object = {}) =>
  control<Answer>(site.sandboxOrigin, path, fields as Record<string, unknown>);

/** Mails to an account: no worker runs, so they stay queued. */
async function mailsTo({ email }: { email: string }) {
  return getDatabase()
    .db.select({ kind: mails.kind, key: mails.idempotencyKey, message: mails.message })
    .from(mails)
    .where(eq(mails.recipient, email))
    .orderBy(mails.createdAt, mails.kind);
}

const kindsTo = async (account: { email: string }) =>
  (await mailsTo(account)).map(({ kind }) => kind.replace("membership-", ""));

/** The text of the last mail to an account. */
async function textTo(account: { email: string }): Promise<string> {
  const message = (await mailsTo(account)).at(-1)?.message as RenderedMail;
  return message.text.replaceAll("\u00a0", " ");
}

async function snapshotOf({ customer }: Payer): Promise<BillingSnapshot> {
  const snapshot = await takeSnapshot(customer);
  if (!snapshot) throw new Error("Nobody has the customer.");
  return snapshot;
}

const write = (snapshot: BillingSnapshot) =>
  getDatabase().db.transaction((tx) => writeSnapshot(snapshot, tx));

describe.each(["arrival", "reverse", "random", "together"])(
  "when Stripe delivers each event three times, in the order '%s'",
  (order) => {
    /** Does something at Stripe, and delivers its events. */
    const happen = async (path: string, fields: object = {}) => {
      await play("webhooks", { mode: "hold", duplicates: 2 });
      await play(path, fields);
      await play("webhooks/release", { order });
      await play("webhooks/settle");
    };

    it("a member gets one mail for each change of the membership", async () => {
      const member = await newPayer(site.sandboxOrigin);
      const subscription = `subscriptions/${member.subscription}`;
      await happen(`customers/${member.customer}/card`, { card: "4242424242424242" });
      expect(await kindsTo(member)).toEqual(["begun"]);

      await happen(`${subscription}/renew`, { outcome: "declined" });
      await happen(`${subscription}/recover`);
      expect(await kindsTo(member)).toEqual(["begun", "renewal-failed"]);

      await happen(`${subscription}/cancel-at-period-end`);
      await happen(`${subscription}/resume`);
      await happen(`${subscription}/refund`);
      await happen(`${subscription}/cancel`);
      const all = ["begun", "renewal-failed", "cancelled", "refunded", "ended"];
      expect(await kindsTo(member)).toEqual(all);

      await Promise.all([1, 2, 3].map(() => syncCustomer(member.customer)));
      expect(await kindsTo(member)).toEqual(all);
    });
  },
);

describe("two instances that sync a customer at the same time", () => {
  it.each(["first", "second"])("mail once, if the %s snapshot is written first", async (first) => {
    const payer = await newPayer(site.sandboxOrigin);
    const snapshots = [await snapshotOf(payer), await snapshotOf(payer)];
    if (first === "second") snapshots.reverse();
    await Promise.all(snapshots.map(write));
    expect(await kindsTo(payer)).toEqual(["begun"]);
  });
});

describe("a member", () => {
  it("is welcomed with the price, the next payment and the members' area", async () => {
    const text = await textTo(await newMember(site.sandboxOrigin));
    expect(text).toMatch(/Price +\$9\.99 per month/);
    expect(text).toMatch(/Next payment +\w+ \d+, 20\d\d/);
    expect(text).toContain(`${ORIGIN}/premium`);
  });

  it("learns what is unpaid, until when access lasts, and where to fix it", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/renew`, { outcome: "declined" });
    await syncCustomer(member.customer);
    const until = (await findProfile(member.id))?.stripeCurrentPeriodEnd;
    const day = until?.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
    const text = await textTo(member);
    expect(text).toContain("your bank declined the payment of $9.99");
    expect(text).toContain(`You keep your access until ${day}.`);
    expect(text).toContain(`${ORIGIN}/billing/card`);
  });

  it("learns until when access lasts after canceling, and after each resumption", async () => {
    const member = await newMember(site.sandboxOrigin);
    const subscription = `subscriptions/${member.subscription}`;
    await play(`${subscription}/cancel-at-period-end`);
    await syncCustomer(member.customer);
    expect(await textTo(member)).toMatch(
      /You keep your access until \w+ \d+, 20\d\d, and nothing more will be charged\./,
    );
    expect(await textTo(member)).toContain(`${ORIGIN}/premium`);
    await play(`${subscription}/resume`);
    await syncCustomer(member.customer);
    // Stripe's times are whole seconds
    await play("clock", { seconds: 1 });
    await play(`${subscription}/cancel-at-period-end`);
    await syncCustomer(member.customer);
    expect(await kindsTo(member)).toEqual(["begun", "cancelled", "cancelled"]);
  });

  it("learns during an unpaid month where to fix that, after a cancellation", async () => {
    const member = await newMember(site.sandboxOrigin);
    const subscription = `subscriptions/${member.subscription}`;
    await play(`${subscription}/renew`, { outcome: "declined" });
    await syncCustomer(member.customer);
    await play(`${subscription}/cancel-at-period-end`);
    await syncCustomer(member.customer);
    expect(await kindsTo(member)).toEqual(["begun", "renewal-failed", "cancelled"]);
    expect(await textTo(member)).toContain(`${ORIGIN}/billing/card`);
    expect(await textTo(member)).not.toContain(`${ORIGIN}/premium`);
  });

  it("learns of a refund's effect on the membership, in one mail if it ends", async () => {
    const renewing = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${renewing.subscription}/refund`);
    await syncCustomer(renewing.customer);
    expect(await textTo(renewing)).toMatch(
      /payment of \$9\.99 was refunded, so your access has ended\..*still renews/s,
    );
    const ended = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${ended.subscription}/refund`);
    await play(`subscriptions/${ended.subscription}/cancel`);
    await syncCustomer(ended.customer);
    expect(await kindsTo(ended)).toEqual(["begun", "refunded"]);
    expect(await textTo(ended)).toMatch(/\$9\.99 was refunded\..*Your membership has ended/s);
  });
});

describe("the billing state", () => {
  it("is written although its mail cannot be stored", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const { db } = getDatabase();
    await db.execute(sql`alter table mails rename to mails_away`);
    const lines = watchLog();
    try {
      await syncCustomer(payer.customer);
    } finally {
      await db.execute(sql`alter table mails_away rename to mails`);
    }
    expect(isSubscribed(await findProfile(payer.id), new Date())).toBe(true);
    expect(lines.map(({ level, message }) => [level, message])).toContainEqual([
      "error",
      "a member could not be mailed",
    ]);
  });
});
