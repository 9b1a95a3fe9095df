import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { membershipOf } from "~/features/billing/checkout-success.server";
import { ensureCustomer } from "~/features/billing/customer.server";
import { keepMembership } from "~/features/billing/keep-membership.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { ensureProfile, findProfile } from "~db/queries/profiles";
import { mails, type RenderedMail } from "~db/schema";
import { control, newMember, newPayer, newReader, type Payer } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({
  payments: {},
  variables: { STRIPE_AUTOMATIC_TAX: "true", STRIPE_PROMOTION_CODES: "true" },
});
afterEach(async () => {
  await play("settings", { taxPercent: 0 });
  await getDatabase().db.execute(sql`truncate mails`);
});

const PREVIEW = "POST /v1/invoices/create_preview";
const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);

async function textTo({ email }: Payer): Promise<string> {
  const [mail] = await getDatabase()
    .db.select({ message: mails.message })
    .from(mails)
    .where(eq(mails.recipient, email));
  const message = mail?.message as RenderedMail | undefined;
  return (message?.text ?? "").replaceAll("\u00a0", " ");
}

const dayOf = (at: string) =>
  new Date(at).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

describe("a member's next payment", () => {
  it("is on the day the paid period ends, and what Stripe says it will be", async () => {
    await play("settings", { taxPercent: 19 });
    await play("coupons", { code: "FIRST", percentOff: 50, months: 1 });
    await play(`prices/${SANDBOX_STRIPE.priceId}/currency`, { currency: "eur", unitAmount: 1_000 });
    const payer = await newPayer(site.sandboxOrigin, { code: "FIRST", currency: "eur" });
    await syncCustomer(payer.customer);
    const shown = await membershipOf(payer.id);
    const { stripeCurrentPeriodEnd: accessEnd } = { ...(await findProfile(payer.id)) };
    expect(shown).toEqual({
      status: { kind: "renews" },
      nextPayment: { at: expect.any(String), amount: "€11.90" },
    });
    // access lasts two days longer, of which no page speaks
    const renewsAt = shown?.nextPayment?.at ?? "";
    expect((accessEnd?.getTime() ?? 0) - Date.parse(renewsAt)).toBe(2 * 24 * 60 * 60 * 1_000);

    const text = await textTo(payer);
    expect(text).toMatch(/Seller +\S/);
    expect(text).toMatch(/Paid +€5\.95/);
    expect(text).toMatch(/Price +€11\.90 per month/);
    expect(text).toContain(dayOf(renewsAt));
    expect(text).toMatch(/Term +renews until you cancel/);
    expect(text).toContain("/account#membership");
  });

  it("is unknown in amount while Stripe does not say, which costs nobody access", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await play("faults", { kind: "error", match: PREVIEW, status: 500, times: 10 });
    await syncCustomer(payer.customer);
    expect(isSubscribed(await findProfile(payer.id), new Date())).toBe(true);
    const nextPayment = { at: expect.any(String), amount: null };
    expect(await membershipOf(payer.id)).toMatchObject({ nextPayment });
  });

  it.each([
    ["cancel-at-period-end", {}, "ends", false],
    ["cancel-at", { days: 100 }, "renews-until", true],
    ["pause", {}, "renews", false],
  ])("after %s: %s, %s", async (what, fields, kind, isCharged) => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/${what}`, fields);
    await syncCustomer(member.customer);
    const shown = await membershipOf(member.id);
    if (kind !== "renews") expect(shown?.status.kind).toBe(kind);
    expect(shown?.nextPayment !== null).toBe(isCharged);
  });
});

it.each([
  ["with exclusive tax", true, false],
  ["with tax and a coupon for two months", true, true],
])("is charged as announced, %s", async (_how, isTaxed, hasCoupon) => {
  const reader = await newReader();
  const { id: customer } = await ensureCustomer(reader, await ensureProfile(reader.id));
  const { id } = await control<{ id: string }>(
    site.sandboxOrigin,
    `customers/${customer}/subscribe`,
    { card: "4242424242424242", isTaxed },
  );
  await play("settings", { taxPercent: 19 });
  await play("coupons", { code: "HALF", percentOff: 50, months: 2 });
  if (hasCoupon) await play(`subscriptions/${id}/coupon`, { code: "HALF" });
  await syncCustomer(customer);
  const { nextPaymentAmount } = { ...(await findProfile(reader.id)) };
  await play(`subscriptions/${id}/renew`);
  const { data } = await stripeClient().invoices.list({ subscription: id, limit: 1 });
  expect(data[0]).toMatchObject({ status: "paid", amount_paid: nextPaymentAmount });
  expect(nextPaymentAmount).not.toBe(999);
});

describe("a canceled membership", () => {
  it.each([
    ["cancel-at-period-end", {}],
    ["cancel-at", { days: 100 }],
  ] as const)("after %s can be kept", async (what, fields) => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/${what}`, fields);
    await syncCustomer(member.customer);
    expect(await keepMembership(member.id)).toBe(true);
    expect(await keepMembership(member.id)).toBe(true);
    expect(await membershipOf(member.id)).toMatchObject({
      status: { kind: "renews" },
      nextPayment: { amount: "$9.99" },
    });
  });

  it("that has ended cannot", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/cancel`);
    expect(await keepMembership(member.id)).toBe(false);
  });
});
