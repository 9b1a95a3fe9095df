import { eq } from "drizzle-orm";
import type { Page } from "playwright";
import { afterEach, expect, it, vi } from "vitest";
import { RENEWAL_LEEWAY_DAYS, UNPAID_GRACE_DAYS } from "~/features/billing/access-end-rule";
import { profiles } from "~db/schema";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { control } from "../../support/payments";

const UPGRADE = "Upgrade to Premium";
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/** The delay of webhooks in the first test. */
const DELAY = 15 * SECOND;

const site = siteForThisFile();

afterEach(() => control(site.sandboxOrigin, "webhooks/reset"));

async function offersUpgrade(page: Page): Promise<boolean> {
  await page.goto("/");
  await hydrated(page);
  return (await page.getByRole("button", { name: UPGRADE }).count()) > 0;
}

async function hasAccess(page: Page): Promise<boolean> {
  await page.goto("/premium");
  return new URL(page.url()).pathname === "/premium";
}

/** Moves a subscription's purchase back by so many milliseconds; returns its period's end. */
async function age(subscription: string, milliseconds: number): Promise<number> {
  type Aged = { items: { data: [{ current_period_end: number }] } };
  const { items } = await control<Aged>(site.sandboxOrigin, `subscriptions/${subscription}/age`, {
    days: milliseconds / DAY,
  });
  return items.data[0].current_period_end * SECOND;
}

/** The end of access in the row. */
async function storedEnd(subscription: string): Promise<number> {
  const { db } = site.database;
  const isTheirs = eq(profiles.stripeSubscriptionId, subscription);
  const [profile] = await db.select().from(profiles).where(isTheirs);
  return profile?.stripeCurrentPeriodEnd?.getTime() ?? Number.NaN;
}

it(`a member whose renewal reaches the site ${DELAY / SECOND} seconds late has access throughout`, {
  timeout: 180_000,
}, async () => {
  const page = await site.visit();
  const { subscription } = await site.subscribe(page.context());
  const end = await age(subscription, (await age(subscription, 0)) - Date.now() - 10 * SECOND);
  await page.goto("/billing");
  expect(await storedEnd(subscription)).toBe(end + RENEWAL_LEEWAY_DAYS * DAY);

  // at the period's end Stripe starts the next one, and leaves its invoice a draft for an hour
  await control(site.sandboxOrigin, "webhooks", { delayMs: DELAY });
  let checksBetween = 0;
  const hasRenewal = async () => {
    if ((await storedEnd(subscription)) !== end + RENEWAL_LEEWAY_DAYS * DAY) return true;
    expect(await offersUpgrade(page)).toBe(false);
    expect(await hasAccess(page)).toBe(true);
    if (Date.now() > end) checksBetween++;
    return false;
  };
  // one check after another would take a processor from the other tests
  await vi.waitUntil(hasRenewal, { timeout: end + 2 * DELAY - Date.now(), interval: SECOND });
  expect(Date.now()).toBeGreaterThan(end + DELAY - 5 * SECOND);
  expect(checksBetween).toBeGreaterThan(4);
  expect(await storedEnd(subscription)).toBe(end + UNPAID_GRACE_DAYS * DAY);
  expect(await offersUpgrade(page)).toBe(false);

  await control(site.sandboxOrigin, "webhooks/reset");
  const hour = 61 * 60 * SECOND;
  const nextEnd = await age(subscription, hour);
  await control(site.sandboxOrigin, "webhooks/settle");
  expect(await storedEnd(subscription)).toBe(nextEnd + RENEWAL_LEEWAY_DAYS * DAY);
  expect(nextEnd).toBeGreaterThan(end + 27 * DAY);
  expect(await offersUpgrade(page)).toBe(false);
});

it("a buyer whose address Stripe rejects is asked for another at the checkout, and gets access", async () => {
  const page = await site.visit();
  const credentials = { email: "reader@localhost", password: "a long walk" };
  expect(await site.post(page.context(), "/auth/signup", credentials)).toMatchObject({
    redirectTo: "/",
  });
  await site.open("/#purchase", page);
  await page.getByRole("button", { name: UPGRADE }).click();
  await page.waitForURL(`${site.sandboxOrigin}/**`);
  await page.getByLabel("E-mail").fill("reader@example.test");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.waitForURL("**/checkout/success?*");
  await page.getByRole("heading", { name: "You’re a Premium Member" }).waitFor();
  expect(await hasAccess(page)).toBe(true);
});
