import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Profile, profiles } from "~db/schema";
import type { Visitor } from "../../support/http-client";
import { control } from "../../support/payments";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const dateOf = (instant: Date) =>
  instant.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The row of an account whose subscription continues without access. */
const withoutAccess = { stripePriceId: null, stripeCurrentPeriodEnd: null } as const;

let site: ProgramSite;
/** A member who has paid once, and their row. */
let payer: Visitor;
let paid: Profile;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox" });
  payer = site.visitor();
  await payer.signUp("payer@example.test");
  const answer = await payer.post("/checkout", { json: { priceId: SANDBOX_STRIPE.priceId } });
  const { sessionId } = JSON.parse(answer.text);
  await control(site.program.sandboxOrigin, `sessions/${sessionId}/pay`);
  await control(site.program.sandboxOrigin, "webhooks/settle");
  [paid] = (await site.database.db.select().from(profiles)) as [Profile];
});
afterAll(() => site?.close());

const charged = {
  nextPaymentAt: inDays(18),
  nextPaymentAmount: 999,
  nextPaymentCurrency: "usd",
};

/** Returns the membership regions of a page with this row, as text without tags. */
async function membershipRegions(path: string, profile: Partial<Profile>): Promise<string[]> {
  await site.database.db.update(profiles).set({ ...paid, ...profile });
  const { text } = await payer.get(path);
  const regions = text.match(
    /<section [^>]*aria-label(="Your |ledby=")membership".*?<\/section>/gs,
  );
  return (regions ?? []).map(words);
}

const words = (html: string) =>
  html
    .replace(/<!--.*?-->|<[^>]*>/gs, "")
    .replaceAll("&#x27;", "'")
    .replace(/\s+/g, " ");

describe("the members' page", () => {
  const end = inDays(20);

  it.each<[string, Partial<Profile>, string, RegExp | null]>([
    [
      "names the next payment while the membership continues",
      { stripeSubscriptionStatus: "active", ...charged },
      `Renews on ${dateOf(inDays(18))} for $9.99. You can cancel anytime.`,
      null,
    ],
    [
      "says that nothing more is charged once it is canceled at the period's end",
      {
        stripeCancelAtPeriodEnd: true,
        stripeCancelAt: end,
        stripeCurrentPeriodEnd: end,
        nextPaymentAt: null,
      },
      `Your membership ends on ${dateOf(end)}. You keep your access until then, and nothing more will be charged.`,
      null,
    ],
    [
      "says until when it is charged if the cancellation is after the period's end",
      {
        stripeCancelAtPeriodEnd: true,
        stripeCancelAt: inDays(100),
        stripeCurrentPeriodEnd: end,
        ...charged,
      },
      `Your membership ends on ${dateOf(inDays(100))}. Until then it renews, next on ${dateOf(inDays(18))} for $9.99.`,
      /nothing more will be charged/,
    ],
    [
      "says when a canceled and unpaid one ends, and nothing about charges",
      {
        stripeSubscriptionStatus: "past_due",
        stripeCancelAt: end,
        stripeCurrentPeriodEnd: inDays(5),
      },
      `Your membership is canceled and ends on ${dateOf(end)}.`,
      /charged|renews/,
    ],
  ])("%s", async (_what, profile, said, unsaid) => {
    const shown = (await membershipRegions("/premium", profile)).at(-1);
    expect(shown).toContain(said);
    if (unsaid) expect(shown).not.toMatch(unsaid);
  });
});

describe("the notice on every page", () => {
  it.each<[string, Partial<Profile>, string, string]>([
    [
      "a failed payment",
      { stripeSubscriptionStatus: "past_due", stripeCurrentPeriodEnd: inDays(5) },
      `Your last membership payment didn’t go through. You keep your access until ${dateOf(inDays(5))}. You can change your card or pay the open invoice now.`,
      "Update payment card",
    ],
    [
      "a payment that failed longer ago",
      { ...withoutAccess, stripeSubscriptionStatus: "past_due" },
      "Your last membership payment didn’t go through. Your access is paused until the payment goes through.",
      "Update payment card",
    ],
    [
      "invoices that stay unpaid",
      { ...withoutAccess, stripeSubscriptionStatus: "unpaid" },
      "Your membership hasn’t been paid for. Your access is paused until the open invoice is paid.",
      "Pay the open invoice",
    ],
    [
      "a refund",
      { ...withoutAccess, accessRevoked: "refund" },
      "Your last payment was refunded, so your access has ended. Your membership still renews. Cancel it if you don’t want to be charged again.",
      "Manage or cancel membership",
    ],
    [
      "a refund of a membership that is canceled",
      { ...withoutAccess, accessRevoked: "refund", stripeCancelAt: inDays(20) },
      `Your last payment was refunded, so your access has ended. Your membership ends on ${dateOf(inDays(20))}.`,
      "Manage or cancel membership",
    ],
    [
      "a dispute",
      { ...withoutAccess, accessRevoked: "dispute" },
      "Your last payment is in dispute. Your membership is paused, and nothing is charged, until your bank settles it.",
      "Invoices and receipts",
    ],
    [
      "a pause",
      { ...withoutAccess, stripeSubscriptionStatus: "paused" },
      "Your membership is paused. Nothing is charged. You’ll get access again when your membership resumes.",
      "Manage or cancel membership",
    ],
    [
      "a payment that takes days",
      { ...withoutAccess, stripeSubscriptionStatus: "incomplete" },
      "Your payment is on its way. Bank debits take up to 14 business days. You’ll get access as soon as it arrives.",
      "Invoices and receipts",
    ],
  ])("reports %s, with a button that solves it", async (_what, profile, said, button) => {
    const [notice] = await membershipRegions("/", profile);
    expect(notice).toContain(said);
    expect(notice).toContain(button);
    const answer = await payer.post("/billing", { form: {} });
    expect(new URL(answer.headers.location ?? "").origin).toBe(site.program.sandboxOrigin);
  });

  it("is absent for a member without a problem, and for a former member", async () => {
    const former = { ...withoutAccess, stripeSubscriptionStatus: "canceled" };
    for (const profile of [{ stripeSubscriptionStatus: "active" }, former]) {
      expect(await membershipRegions("/", profile)).toEqual([]);
    }
  });
});

it("a former member can upgrade again, and open invoices and receipts; other accounts have none", async () => {
  await site.database.db
    .update(profiles)
    .set({ ...paid, ...withoutAccess, stripeSubscriptionStatus: "canceled" });
  const page = words((await payer.get("/")).text);
  expect(page).toContain("Upgrade to Premium");
  expect(page).toContain("Invoices and receipts");
  const newcomer = site.visitor();
  await newcomer.signUp("newcomer@example.test");
  const theirs = words((await newcomer.get("/")).text);
  expect(theirs).toContain("Upgrade to Premium");
  expect(theirs).not.toContain("Invoices and receipts");
});
