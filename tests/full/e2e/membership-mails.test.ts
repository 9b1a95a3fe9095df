import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { type Member, siteForThisFile } from "../../support/e2e-site";
import { eventually } from "../../support/eventually";
import { linkIn, mailInOutbox } from "../../support/mail";
import { expectToast } from "../../support/pages";

const site = siteForThisFile();

/** A card that pays at the checkout, and is declined at renewals. */
const DECLINED_LATER = "4000000000000341";

const NOT_PAID = "Your last membership payment didn’t go through.";

async function fillCredentials(page: Page, email: string, password: string): Promise<void> {
  const main = page.getByRole("main");
  await main.getByLabel("Email").fill(email);
  await main.getByLabel("Password", { exact: true }).fill(password);
}

describe("without JavaScript", () => {
  describe("a member whose renewal failed", () => {
    /** A member whose renewal was declined, and the link in the mail. */
    const unpaidMember = async (): Promise<Member & { link: string }> => {
      const buyer = await site.visit();
      const member = await site.subscribe(buyer.context());
      const subscription = `subscriptions/${member.subscription}`;
      await site.sandbox(`${subscription}/card`, { card: DECLINED_LATER });
      await site.sandbox(`${subscription}/renew`);
      const subject = "Your membership payment didn’t go through";
      const mail = await mailInOutbox(site.dataDir, member.email, subject);
      await buyer.goto("/premium");
      expect(await buyer.getByText(NOT_PAID).count()).toBe(1);
      return { ...member, link: linkIn(mail, "/billing/card").href };
    };

    it("replaces the card through the mail's button, and has access again", async () => {
      const { email, password, link } = await unpaidMember();
      const page = await site.visit({ javaScriptEnabled: false });
      await page.goto(link);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
        "Log in to your membership",
      );

      await fillCredentials(page, email, "not that one");
      await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
      await expectToast(page, "Sign in Failed", "Invalid login credentials");
      expect(page.url()).toBe(link);
      expect(await page.getByRole("main").getByLabel("Email").inputValue()).toBe(email);

      await fillCredentials(page, email, password);
      await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
      await page.getByRole("heading", { name: "Update your payment card" }).waitFor();
      expect(page.url()).toBe(link);
      expect(await page.getByRole("main").textContent()).toContain(
        `${NOT_PAID} You keep your access until`,
      );
      // the notice of other pages would repeat this
      expect(await page.getByRole("button", { name: "Update payment card" }).count()).toBe(1);

      await page.getByRole("button", { name: "Update payment card" }).click();
      await page.waitForURL(`${site.sandboxOrigin}/**`);
      await page.getByRole("heading", { name: "Update your card" }).waitFor();
      await page.getByLabel("Card number").fill("4242 4242 4242 4242");
      await page.getByRole("button", { name: "Update card" }).click();
      await page.waitForURL("**/premium");
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(email);
      // the webhooks' sync may still be paying after that of the return has finished
      await eventually(async () => {
        await page.goto("/premium");
        expect(await page.getByText(NOT_PAID).count()).toBe(0);
      });
      expect(new URL(page.url()).pathname).toBe("/premium");
      expect(await page.getByRole("region", { name: "Your membership" }).textContent()).toMatch(
        /Renews on \w+ \d+, 20\d\d for \$9\.99\. You can cancel anytime\./,
      );
    });

    it("pays the open invoice after Stripe has given up, and has access again", async () => {
      const { email, password, subscription, link } = await unpaidMember();
      await site.sandbox(`subscriptions/${subscription}/give-up`, { afterRetries: "unpaid" });
      const page = await site.visit({ javaScriptEnabled: false });
      await site.post(page.context(), "/auth/login", { email, password });
      await page.goto("/premium");
      expect(new URL(page.url()).pathname).toBe("/");

      await page.goto(link);
      await page.getByRole("button", { name: "Pay the open invoice" }).click();
      await page.waitForURL(`${site.sandboxOrigin}/**`);
      await page.getByRole("row").filter({ hasText: "open" }).getByRole("link").click();
      await page.getByRole("button", { name: "Pay $9.99" }).click();
      await eventually(async () => {
        await page.goto("/premium");
        expect(new URL(page.url()).pathname).toBe("/premium");
      });
    });
  });
});
