import type { BrowserContext } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { type Profile, profiles } from "~db/schema";
import { siteForThisFile } from "../../support/e2e-site";

const site = siteForThisFile();

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const dateOf = (instant: Date) =>
  instant.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The row of an account whose subscription continues without access. */
const withoutAccess = { stripePriceId: null, stripeCurrentPeriodEnd: null } as const;

/** Somebody who has paid once. */
let payer: {
  email: string;
  profile: Profile;
  cookies: Awaited<ReturnType<BrowserContext["cookies"]>>;
};

beforeAll(async () => {
  const context = (await site.visit()).context();
  const { email } = await site.subscribe(context);
  const [profile] = await site.database.db.select().from(profiles);
  payer = { email, profile: profile as Profile, cookies: await context.cookies() };
});

describe("without JavaScript", () => {
  /** Opens a page as the payer, whose row is now this. */
  async function openAs(path: string, profile: Partial<Profile>) {
    const page = await site.visit({ javaScriptEnabled: false });
    await page.context().addCookies(payer.cookies);
    await site.setProfile(payer.email, { ...payer.profile, ...profile });
    await page.goto(path);
    return page;
  }

  describe("the members' page", () => {
    const words = async (profile: Partial<Profile>) => {
      const page = await openAs("/premium", profile);
      return page.getByRole("region", { name: "Your membership" }).last().textContent();
    };

    it("shows the price while the membership continues", async () => {
      expect(await words({ stripeSubscriptionStatus: "active" })).toContain(
        "$9.99 per month, cancel anytime.",
      );
    });

    it("says that nothing more is charged once it is cancelled at the period's end", async () => {
      const end = inDays(20);
      const said = await words({
        stripeCancelAtPeriodEnd: true,
        stripeCancelAt: end,
        stripeCurrentPeriodEnd: end,
      });
      expect(said).toContain(
        `You keep your access until ${dateOf(end)}, and nothing more will be charged.`,
      );
    });

    it("says until when it is charged if the cancellation is after the period's end", async () => {
      const said = await words({
        stripeCancelAtPeriodEnd: true,
        stripeCancelAt: inDays(100),
        stripeCurrentPeriodEnd: inDays(20),
      });
      expect(said).toContain(
        `Your membership ends on ${dateOf(inDays(100))}. Until then it renews at $9.99 per month.`,
      );
      expect(said).not.toContain("nothing more will be charged");
    });

    it("says when a cancelled and unpaid one ends, and nothing about charges", async () => {
      const said = await words({
        stripeSubscriptionStatus: "past_due",
        stripeCancelAt: inDays(20),
        stripeCurrentPeriodEnd: inDays(5),
      });
      expect(said).toContain(`Your membership is cancelled and ends on ${dateOf(inDays(20))}.`);
      expect(said).not.toMatch(/charged|renews/);
    });
  });

  it("is given one end on My Account once it is cancelled", async () => {
    const end = inDays(20);
    const page = await openAs("/account", {
      stripeCancelAtPeriodEnd: true,
      stripeCancelAt: end,
      stripeCurrentPeriodEnd: end,
    });
    const said = await page.getByRole("region", { name: "Membership" }).textContent();
    expect(said).toContain("You are a premium member. Your membership is cancelled.");
    expect(said?.split(dateOf(end))).toHaveLength(2);
  });

  describe("the notice on every page", () => {
    it.each<[string, Partial<Profile>, string, string]>([
      [
        "a failed payment",
        { stripeSubscriptionStatus: "past_due", stripeCurrentPeriodEnd: inDays(5) },
        `Your last membership payment did not go through. You keep your access until ${dateOf(inDays(5))}. You can change your card, or pay the open invoice right away.`,
        "Update payment card",
      ],
      [
        "a payment that failed longer ago",
        { ...withoutAccess, stripeSubscriptionStatus: "past_due" },
        "Your last membership payment did not go through. Your access is paused until it does.",
        "Update payment card",
      ],
      [
        "invoices that stay unpaid",
        { ...withoutAccess, stripeSubscriptionStatus: "unpaid" },
        "Your membership has not been paid for. Your access is paused. It comes back once the open invoice is paid.",
        "Pay the open invoice",
      ],
      [
        "a refund",
        { ...withoutAccess, accessWithdrawn: "refund" },
        "Your last payment was refunded, so your access has ended. The membership itself still renews: cancel it if you do not want to be charged again.",
        "Manage or cancel membership",
      ],
      [
        "a refund of a membership that is cancelled",
        { ...withoutAccess, accessWithdrawn: "refund", stripeCancelAt: inDays(20) },
        `Your last payment was refunded, so your access has ended. The membership itself ends on ${dateOf(inDays(20))}.`,
        "Manage or cancel membership",
      ],
      [
        "a dispute",
        { ...withoutAccess, accessWithdrawn: "dispute" },
        "Your bank has asked for your last payment back. Your membership is paused and nothing is charged until that is settled.",
        "Invoices and receipts",
      ],
      [
        "a pause",
        { ...withoutAccess, stripeSubscriptionStatus: "paused" },
        "Your membership is paused. Nothing is charged, and the members’ area opens again when the membership goes on.",
        "Manage or cancel membership",
      ],
      [
        "a payment that takes days",
        { ...withoutAccess, stripeSubscriptionStatus: "incomplete" },
        "Your payment is on its way. The members’ area opens by itself as soon as it has arrived.",
        "Invoices and receipts",
      ],
    ])("reports %s, with a button to solve it", async (_what, profile, words, button) => {
      const page = await openAs("/", profile);
      const notice = page.getByRole("region", { name: "Your membership" });
      expect(await notice.textContent()).toContain(words);
      await notice.getByRole("button", { name: button }).click();
      await page.waitForURL(`${site.sandboxOrigin}/**`);
    });

    it("is absent for a member without trouble, and for a former member", async () => {
      for (const profile of [
        { stripeSubscriptionStatus: "active" },
        { ...withoutAccess, stripeSubscriptionStatus: "canceled" },
      ]) {
        const page = await openAs("/", profile);
        await page.getByRole("heading", { name: "Walk further with Premium" }).waitFor();
        expect(await page.getByRole("region", { name: "Your membership" }).count()).toBe(0);
      }
    });
  });

  it("a former member can upgrade again, and open invoices and receipts", async () => {
    const page = await openAs("/#purchase", {
      ...withoutAccess,
      stripeSubscriptionStatus: "canceled",
    });
    const purchase = page.locator("#purchase");
    await purchase.getByRole("button", { name: "Upgrade to Premium" }).waitFor();
    await purchase.getByRole("button", { name: "Invoices and receipts" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
  });

  it("an account that has never paid is offered no invoices", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    await site.signUp(page.context());
    await page.goto("/#purchase");
    await page.locator("#purchase").getByRole("button", { name: "Upgrade to Premium" }).waitFor();
    expect(await page.getByRole("button", { name: "Invoices and receipts" }).count()).toBe(0);
  });

  it("the return from the portal redirects according to what was changed there", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    const { subscription } = await site.subscribe(page.context());
    await page.goto("/premium");
    await page.getByRole("button", { name: "Manage or cancel membership" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    const back = page.locator(`a[href="${site.origin}/billing"]`).first();
    await back.click();
    await page.waitForURL("**/premium");

    await page.getByRole("button", { name: "Manage or cancel membership" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await site.sandbox(`subscriptions/${subscription}/cancel`);
    await page.locator(`a[href="${site.origin}/billing"]`).first().click();
    await page.waitForURL("**/#purchase");
  });
});
