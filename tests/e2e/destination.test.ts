import type { Locator, Page } from "playwright";
import { describe, it, vi } from "vitest";
import { readDestination } from "~/features/accounts/destination";
import { expect } from "../support/browser-expect";
import { siteForThisFile } from "../support/e2e-site";
import { linkIn, mailInOutbox } from "../support/mail";

const site = siteForThisFile();
const CHAPTER = "/premium/chapters/small-hinges";
const PHONE = { viewport: { width: 360, height: 640 } };

async function newMember() {
  const account = await site.newAccount();
  const end = new Date(Date.now() + 86_400_000);
  await site.setProfile(account.email, { stripePriceId: "price_1", stripeCurrentPeriodEnd: end });
  return account;
}

const fill = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.getByLabel("Email", { exact: true }).first().fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
};
const card = (page: Page, title: string) => page.getByRole("region", { name: title });

describe.each([true, false])("a chapter's address with JavaScript: %s", (javaScriptEnabled) => {
  it("asks to log in, and leads straight back", async () => {
    const page = await site.visit({ ...PHONE, javaScriptEnabled });
    const member = await newMember();
    await page.goto(site.origin + CHAPTER);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Log in to read this chapter");
    await fill(page, { ...member, password: "not that one" });
    await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await expect(page.locator(".toast", { hasText: "Sign in Failed" })).toBeVisible();
    await fill(page, member);
    await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Small Hinges");
    expect(page.url()).toBe(site.origin + CHAPTER);
  });

  it("leads on from the landing page after a reset by the mailed link, also on another device", async () => {
    const page = await site.visit({ javaScriptEnabled });
    const { email } = await newMember();
    await page.goto(site.origin + CHAPTER);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Forgot your password?");
    await page.getByLabel("Email").first().fill(email);
    await page.getByRole("button", { name: "Send link" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
    const mail = await mailInOutbox(site.dataDir, email, "Choose a new password");
    const other = await site.visit({ javaScriptEnabled });
    await other.goto(linkIn(mail, "/auth/reset-password").href);
    await other.getByLabel("New password").fill("a longer walk");
    await other.getByRole("button", { name: "Save new password" }).click();
    await other.waitForURL(`${site.origin}/`);
    await other.getByRole("link", { name: "Continue to Chapter 3: Small Hinges" }).click();
    await expect(other.getByRole("heading", { level: 1 })).toContainText("Small Hinges");
    await other.goto(`${site.origin}/`);
    await expect(card(other, "You’re logged in")).toHaveCount(0);
  });

  it("brings somebody who signs up to upgrade back to the upgrade", async () => {
    const page = await site.visit({ ...PHONE, javaScriptEnabled });
    await page.goto(`${site.origin}/`);
    const upgrade = page.locator("#purchase").getByRole("button", { name: "Upgrade to Premium" });
    await upgrade.click();
    const toast = page.locator(".toast", { hasText: "Please log in or sign up to upgrade." });
    const link = page.locator("#purchase").getByRole("link", { name: "Sign Up" });
    // Radix's toast takes the place of the plain one, and has no box for a moment
    const boxOf = (shown: Locator) => vi.waitUntil(() => shown.boundingBox(), 10_000);
    const toastBox = await boxOf(toast);
    for (const spoken of [upgrade, link, page.locator("#purchase").getByText("Log In")]) {
      const box = await boxOf(spoken);
      const isClear = box.y + box.height <= toastBox.y || box.y >= toastBox.y + toastBox.height;
      expect(isClear, JSON.stringify({ box, toastBox })).toBe(true);
    }
    await toast.getByRole("link", { name: "Sign Up" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign up to upgrade");
    await fill(page, { email: `up-${javaScriptEnabled}@example.test`, password: "a long walk" });
    await page.getByRole("button", { name: "Create Account" }).click();
    await page.waitForURL(`${site.origin}/`);
    await card(page, "Finish upgrading").getByRole("button").click();
    await page.waitForURL(/\/c\/pay\//);
  });
});

describe("a destination", () => {
  it.each([
    "//evil.example",
    "/\\evil.example",
    "/premium\\..\\x",
    "/premium/../logout",
    "/premium/%2e%2e/logout",
    "/premium//evil.example",
    "https://evil.example/premium",
    "javascript:alert(1)",
    "%2F%2Fevil.example",
    "/premium@evil.example",
    "/premium\n",
    "/logout",
    "/premium/book.epub",
    `/premium?${"a".repeat(600)}`,
    ["/premium"],
    null,
  ])("is not %j", async (text) => {
    expect(readDestination(text)).toBeNull();
  });

  it("is kept from no link that names another site", async () => {
    const page = await site.visit();
    for (const evil of ["//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      await site.open(`/auth?leads-to=${encodeURIComponent(evil)}`, page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome back");
    }
  });
});
