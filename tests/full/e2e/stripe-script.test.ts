import type { Page } from "playwright";
import { describe, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";

const PUBLISHABLE_KEY = "pk_test_goldenPathTests";

// settings of a Stripe account, of which only the script is used, and simulated here
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

/** Simulates Stripe's host, with a script that records the key it gets. Returns the requested URLs. */
async function simulateStripe(page: Page): Promise<string[]> {
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

/** The keys that Stripe's script received. */
const keysOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { keys?: string[] }).keys ?? []);
const upgrade = (page: Page) => page.getByRole("button", { name: "Upgrade to Premium" });

describe("Stripe's script", () => {
  it("is loaded from Stripe's host with the publishable key once a signed-in visitor approaches the button", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    const asked = await simulateStripe(page);
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

  it("is not loaded for anonymous visitors, who cannot buy yet", async () => {
    const page = await site.visit();
    const asked = await simulateStripe(page);
    await site.open("/", page);
    await upgrade(page).hover();
    await upgrade(page).click();
    await expect(page.locator(".toast-title")).toHaveText("Authentication Required");
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual([]);
  });

  it("does not delay the checkout if it fails to load", async () => {
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
