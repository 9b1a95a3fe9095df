import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { expectFocusInSight } from "../../support/keyboard";
import { linkIn, mailInOutbox } from "../../support/mail";

const site = siteForThisFile();

const PASSWORD = "a long walk";
const NEW_PASSWORD = "a longer walk";

const section = (page: Page, title: string) => page.getByRole("region", { name: title });
const toast = (page: Page, title: string) => page.locator(".toast:visible", { hasText: title });

/** Opens the account page of a signed-in user. */
async function openAccount(page: Page): Promise<void> {
  await page.goto("/account");
  await expect(page.getByRole("heading", { name: "My Account", level: 1 })).toBeVisible();
}

/** Waits for the toast, back at a section of the page. */
async function expectAnswer(page: Page, title: string, id: string): Promise<void> {
  await expect(toast(page, title)).toBeVisible();
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/account#${id}`);
}

/** A second browser that is signed in to an account. */
async function otherBrowser(account: { email: string }): Promise<Page> {
  const other = await site.visit();
  await site.signIn(other.context(), account.email);
  return other;
}

async function isSignedIn(page: Page): Promise<boolean> {
  const answer = await page.context().request.get("/account", { maxRedirects: 0 });
  return answer.status() === 200;
}

// other tests cover, without a browser, what each form accepts and refuses
describe("the account page", () => {
  it("changes the password and signs out other browsers, without JavaScript", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    const other = await otherBrowser(await site.signUp(page.context()));
    await openAccount(page);
    const form = section(page, "Password");
    await form.getByLabel("Current password", { exact: true }).fill("not that one");
    await form.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await form.getByRole("button", { name: "Change password" }).click();
    await expectAnswer(page, "That password isn’t right.", "password");
    expect(await isSignedIn(other)).toBe(true);

    await form.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await form.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await form.getByRole("button", { name: "Change password" }).click();
    await expectAnswer(page, "Password changed", "password");
    expect(await isSignedIn(page)).toBe(true);
    expect(await isSignedIn(other)).toBe(false);
  });

  it("downloads the account's data, after the password if that was entered ten minutes ago", async () => {
    const page = await site.visit();
    const { email } = await site.signUp(page.context());
    await page.goto("/account#data");
    await hydrated(page);
    await site.database.db.execute(
      sql`update sessions set verified_at = now() - interval '10 minutes'`,
    );
    await page.getByRole("link", { name: "Download your data" }).click();
    await page.waitForURL("**/account/verify?next=*");
    await hydrated(page);
    await page.getByLabel("Password", { exact: true }).fill("not that one");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(toast(page, "That password isn’t right.")).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/account#data");
    const link = page.getByRole("link", { name: "Download your data" });
    const [file] = await Promise.all([page.waitForEvent("download"), link.press("Enter")]);
    expect(file.suggestedFilename()).toBe("account.json");
    expect(JSON.parse(await readFile(await file.path(), "utf8"))).toMatchObject({
      account: { email },
    });
    expect(new URL(page.url()).pathname).toBe("/account");
  });

  it("deletes the account in two steps, with its membership, without JavaScript", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    const { email } = await site.subscribe(page.context());
    await openAccount(page);
    const form = section(page, "Delete account");
    await form.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await form.getByRole("button", { name: "Delete account" }).click();
    await page.waitForURL("**/account/delete");
    await expect(page.getByRole("main")).toContainText("Nothing more will be charged");
    await page.getByRole("button", { name: "Delete my account permanently" }).click();
    await expect(toast(page, "Your account has been deleted")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(await isSignedIn(page)).toBe(false);
    await mailInOutbox(site.dataDir, email, "Your account has been deleted");
  });

  it("lists the sessions, and ends one or all others", async () => {
    const page = await site.visit();
    const account = await site.signUp(page.context());
    const [first, second] = [await otherBrowser(account), await otherBrowser(account)];
    await openAccount(page);
    const list = section(page, "Where you’re logged in");
    await expect(list.getByRole("listitem")).toHaveCount(3);
    await expect(list.getByText("This device")).toHaveCount(1);
    await list
      .getByRole("button", { name: /^Log out / })
      .first()
      .click();
    await expectAnswer(page, "Logged out of that device", "sessions");
    await expect(list.getByRole("listitem")).toHaveCount(2);
    await list.getByRole("button", { name: "Log out everywhere else" }).click();
    await expectAnswer(page, "Logged out everywhere else", "sessions");
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(page)]).toEqual([
      ...[false, false, true],
    ]);
  });

  it("joins and leaves the newsletter", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await openAccount(page);
    const newsletter = section(page, "Newsletter");
    await newsletter.getByRole("button", { name: "Subscribe" }).click();
    await expectAnswer(page, "Thanks for subscribing!", "newsletter");
    await expect(newsletter).toContainText("You get the newsletter at this address.");
    await newsletter.getByRole("button", { name: "Unsubscribe" }).click();
    await expectAnswer(page, "You’ve been unsubscribed.", "newsletter");
    await expect(newsletter).toContainText("You don’t get the newsletter at this address.");
  });

  it("changes the address after confirmation, and the old address can undo it", async () => {
    const page = await site.visit();
    const account = await site.signUp(page.context());
    const newEmail = site.newEmail("moved");
    await openAccount(page);
    const form = section(page, "Email");
    await form.getByLabel("New email").fill(newEmail);
    await form.getByLabel("Your password", { exact: true }).fill("not that one");
    await form.getByRole("button", { name: "Change email" }).click();
    await expectAnswer(page, "That password isn’t right.", "email");
    // only the password has to be typed again
    await expect(form.getByLabel("New email")).toHaveValue(newEmail);
    await form.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await form.getByRole("button", { name: "Change email" }).click();
    await expectAnswer(page, "Check your email", "email");
    await expect(form).toContainText(`Waiting for confirmation: ${newEmail}`);

    const mail = await mailInOutbox(site.dataDir, newEmail, "Confirm your new email address");
    // a signed-out browser has to log in first
    const elsewhere = await site.visit({ javaScriptEnabled: false });
    await elsewhere.goto(linkIn(mail, "/account/email/confirm").href);
    await elsewhere.getByLabel("Email", { exact: true }).fill(account.email);
    await elsewhere.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await elsewhere.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await elsewhere.getByRole("button", { name: "Change my email" }).click();
    await expect(toast(elsewhere, "Email changed")).toBeVisible();
    expect(new URL(elsewhere.url()).pathname).toBe("/account");
    await openAccount(page);
    await expect(section(page, "Email")).toContainText(`${newEmail}, confirmed`);

    const notice = await mailInOutbox(
      site.dataDir,
      account.email,
      "Your email address was changed",
    );
    const owner = await site.visit();
    await owner.goto(linkIn(notice, "/account/email/undo").href);
    await owner.getByRole("button", { name: "This is my account" }).click();
    await expect(toast(owner, "Your account is yours again")).toBeVisible();
    await owner.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await owner.getByRole("button", { name: "Save new password" }).click();
    await expect(toast(owner, "Password changed")).toBeVisible();
    await openAccount(owner);
    await expect(section(owner, "Email")).toContainText(`${account.email}, confirmed`);
    expect(await isSignedIn(page)).toBe(false);
  });

  it("has every field, button and link in Tab order, and in view when focused", async () => {
    const page = await site.visit({ reducedMotion: "reduce" });
    await otherBrowser(await site.signUp(page.context()));
    await openAccount(page);
    await hydrated(page);
    const wanted = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("main :is(a[href], button, input)")]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .map((element, index) => {
          element.dataset.place = String(index);
          return index;
        }),
    );
    // nine sections with forms
    expect(wanted.length).toBeGreaterThan(20);
    const reached: number[] = [];
    for (let presses = 0; presses < wanted.length + 30; presses++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(
        () => (document.activeElement as HTMLElement).dataset.place ?? null,
      );
      if (focused === null && reached.length > 0) break;
      if (focused === null) continue;
      reached.push(Number(focused));
      await expectFocusInSight(page);
    }
    expect(reached).toEqual(wanted);
  });
});

describe("a new account", () => {
  it("is asked once to confirm its address", async () => {
    const page = await site.open("/auth?tab=signup");
    const email = site.newEmail();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("main").getByRole("button", { name: "Create Account" }).click();
    await page.waitForURL(`${site.origin}/`);
    const notice = page.getByRole("region", { name: "Your email" });
    await expect(notice).toContainText(`We sent a link to ${email}.`);
    await page.goto("/");
    await expect(notice).toHaveCount(0);
    await openAccount(page);
    await expect(section(page, "Email")).toContainText(`${email}, not confirmed yet`);

    const mail = await mailInOutbox(site.dataDir, email, "Welcome to The Golden Path");
    await page.goto(linkIn(mail, "/auth/confirm-email").href);
    await page.getByRole("button", { name: "Confirm my email" }).click();
    await expect(toast(page, "Email confirmed")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe("/");
    await openAccount(page);
    await expect(section(page, "Email")).toContainText(`${email}, confirmed`);
  });

  it("loses its squatter when the address's owner confirms it", async () => {
    const squatter = await site.visit();
    const { email } = await site.signUp(squatter.context());
    await openAccount(squatter);
    await section(squatter, "Email")
      .getByRole("button", { name: "Send a new confirmation link" })
      .click();
    await expectAnswer(squatter, "Check your email", "email");
    const mail = await mailInOutbox(site.dataDir, email, "Confirm your email address");
    const owner = await site.visit();
    await owner.goto(linkIn(mail, "/auth/confirm-email").href);
    await expect(owner.getByRole("main")).toContainText("will be logged out");
    expect(await isSignedIn(squatter)).toBe(true);
    await owner.getByRole("button", { name: "Confirm my email" }).click();
    await expect(toast(owner, "choose a new password.")).toBeVisible();
    expect(await isSignedIn(squatter)).toBe(false);
  });
});

// the crawl covers it without JavaScript
it("a link in a mail replaces a forgotten password, once", async () => {
  const { email } = await site.newAccount("forgetful");
  const page = await site.open("/auth/forgot-password");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(toast(page, "Check your email")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");

  const mail = await mailInOutbox(site.dataDir, email, "Choose a new password");
  const { href } = linkIn(mail, "/auth/reset-password");
  await page.goto(href);
  await expect(page.getByText(email)).toBeVisible();
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Save new password" }).click();
  await expect(toast(page, "Password changed")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/");
  await page.goto(href);
  await expect(toast(page, "Password reset failed")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/auth/forgot-password");
});
