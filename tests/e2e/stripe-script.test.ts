import type { Page } from "playwright";
import { expect } from "playwright/test";
import { describe, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { siteForThisFile } from "../support/e2e-site";

const PUBLISHABLE_KEY = "pk_test_goldenPathTests";

// a Stripe account of which only the script is simulated here
const site = siteForThisFile({
  variables: {
    PAYMENTS: "stripe",
    STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
    STRIPE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
    STRIPE_PRICE_ID: SANDBOX_STRIPE.priceId,
    STRIPE_WEBHOOK_SECRET: SANDBOX_STRIPE.webhookSecret,
    STRIPE_API_BASE: "http://127.0.0.1:9",
    HOST: "localhost",
  },
});

/** Plays Stripe's host to a page: its script notes the key it is called with. Gives what was asked of it. */
async function playStripe(page: Page): Promise<string[]> {
  const asked: string[] = [];
  await page.route("https://js.stripe.com/**", (route) => {
    asked.push(route.request().url());
    return route.fulfill({
      contentType: "text/javascript",
      body: `window.Stripe = (key) => {
        window.keys = [...(window.keys ?? []), key];
        return { _registerWrapper() {} };
      };`,
    });
  });
  return asked;
}

/** The keys that Stripe's script was called with. */
const keysOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { keys?: string[] }).keys ?? []);
const upgrade = (page: Page) => page.getByRole("button", { name: "Upgrade to Premium" });

describe("Stripe's script", () => {
  it("comes from Stripe's own host and gets the publishable key, once an account reaches for the button", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    const asked = await playStripe(page);
    await site.open("/", page);
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual([]);

    await upgrade(page).hover();
    await expect.poll(() => keysOf(page)).toEqual([PUBLISHABLE_KEY]);
    await page.getByRole("heading", { level: 1 }).hover();
    await upgrade(page).hover();
    await upgrade(page).focus();
    await page.waitForLoadState("networkidle");
    expect(await keysOf(page)).toEqual([PUBLISHABLE_KEY]);
    expect(asked).toHaveLength(1);
    expect(new URL(asked[0] ?? "").origin).toBe("https://js.stripe.com");
  });

  it("is not loaded for somebody who cannot buy yet", async () => {
    const page = await site.visit();
    const asked = await playStripe(page);
    await site.open("/", page);
    await upgrade(page).hover();
    await upgrade(page).click();
    await expect(page.locator(".toast-title")).toHaveText("Authentication Required");
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual([]);
  });

  it("holds nobody up who cannot load it", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    let tries = 0;
    await page.route("https://js.stripe.com/**", (route) => {
      tries += 1;
      return route.abort();
    });
    await site.open("/", page);
    await upgrade(page).hover();
    await expect.poll(() => tries).toBeGreaterThan(0);
    const posted = page.waitForRequest((request) => request.method() === "POST");
    await upgrade(page).click();
    expect(new URL((await posted).url()).pathname).toBe("/checkout");
  });
});
