import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { membershipOf } from "~/features/billing/checkout-success.server";
import { keepMembership } from "~/features/billing/keep-membership.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { mails, type RenderedMail } from "~db/schema";
import { openAlteredStripe } from "../support/altered-stripe";
import { control, newMember, newPayer, type Payer, stripeSettings } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
afterEach(() => getDatabase().db.execute(sql`truncate mails`));

const PREVIEW = "POST /v1/invoices/create_preview";
const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);

/** Makes Stripe name another amount for the next invoice, as with tax, a coupon or another currency. */
async function withPreview(amount_due: number, currency: string): Promise<void> {
  const origin = await openAlteredStripe(site.sandboxOrigin, (answer, call) => {
    if (call === PREVIEW) Object.assign(answer, { amount_due, currency });
  });
  setEnvironment({
    ...stripeSettings(origin, SANDBOX_STRIPE.priceId),
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    LOG_LEVEL: "silent",
  });
}

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
    const payer = await newPayer(site.sandboxOrigin);
    await withPreview(1_189, "eur");
    await syncCustomer(payer.customer);
    const shown = await membershipOf(payer.id);
    const { stripeCurrentPeriodEnd: accessEnd } = { ...(await findProfile(payer.id)) };
    expect(shown).toEqual({
      status: { kind: "renews" },
      nextPayment: { at: expect.any(String), amount: "€11.89" },
    });
    // access lasts two days longer, of which no page speaks
    const renewsAt = shown?.nextPayment?.at ?? "";
    expect((accessEnd?.getTime() ?? 0) - Date.parse(renewsAt)).toBe(2 * 24 * 60 * 60 * 1_000);

    const text = await textTo(payer);
    expect(text).toMatch(/Seller +\S/);
    expect(text).toMatch(/Paid +\$9\.99/);
    expect(text).toMatch(/Price +€11\.89 per month/);
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

describe("a cancelled membership", () => {
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
