import { sql } from "drizzle-orm";
import type { Page } from "playwright";
import { describe, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { expectFocusInSight } from "../../support/keyboard";
import { linkIn, mailInOutbox } from "../../support/mail";

const site = siteForThisFile();

const PASSWORD = "a long walk";
const NEW_PASSWORD = "a longer walk";

/** A visitor's page, with JavaScript or without. */
const WAYS = [
  { way: "with JavaScript", javaScriptEnabled: true },
  { way: "without JavaScript", javaScriptEnabled: false },
];

const section = (page: Page, title: string) => page.getByRole("region", { name: title });
const toast = (page: Page, title: string) => page.locator(".toast:visible", { hasText: title });

/** Opens the account page of whoever is signed in. */
async function openAccount(page: Page): Promise<void> {
  await page.goto("/account");
  await expect(page.getByRole("heading", { name: "My Account", level: 1 })).toBeVisible();
}

/** Waits for an answer: its toast, back at a section. */
async function expectAnswer(page: Page, title: string, id: string): Promise<void> {
  await expect(toast(page, title)).toBeVisible();
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/account#${id}`);
}

/** A second browser that is signed in to an account. */
async function otherBrowser(account: { email: string; password: string }): Promise<Page> {
  const other = await site.visit();
  await site.post(other.context(), "/auth/login", account);
  return other;
}

async function isSignedIn(page: Page): Promise<boolean> {
  const answer = await page.context().request.get("/account", { maxRedirects: 0 });
  return answer.status() === 200;
}

describe.each(WAYS)("the account page, $way", ({ javaScriptEnabled }) => {
  const visit = () => site.visit({ javaScriptEnabled });

  it("is reached from the menu, and shows whose it is", async () => {
    const page = await visit();
    const { email } = await site.signUp(page.context());
    await page.goto("/");
    if (javaScriptEnabled) await hydrated(page);
    await page.getByLabel("Account menu").click();
    const link = page
      .getByRole("banner")
      .getByRole(javaScriptEnabled ? "menuitem" : "link", { name: "My Account" });
    await expect(link).toContainText(email);
    await link.click();
    await page.waitForURL("**/account");
    await expect(page.getByRole("main")).toContainText(email);
  });

  it("leads whoever is signed out to the log-in page", async () => {
    const page = await visit();
    await page.goto("/account");
    expect(new URL(page.url()).pathname).toBe("/auth");
  });

  it("says what the membership is, until when, and leads to its portal", async () => {
    const page = await visit();
    await site.subscribe(page.context());
    await openAccount(page);
    const membership = section(page, "Membership");
    await expect(membership).toContainText("You are a premium member, with access until at least");
    await membership.getByRole("button", { name: "Manage or cancel membership" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
  });

  it("changes the password, which signs out elsewhere and is told by mail", async () => {
    const page = await visit();
    const account = await site.signUp(page.context());
    const other = await otherBrowser(account);
    await openAccount(page);
    const form = section(page, "Password");
    await form.getByLabel("Current password", { exact: true }).fill("not that one");
    await form.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await form.getByRole("button", { name: "Change password" }).click();
    await expectAnswer(page, "That is not your password.", "password");
    expect(await isSignedIn(other)).toBe(true);

    await form.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await form.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await form.getByRole("button", { name: "Change password" }).click();
    await expectAnswer(page, "Password Changed!", "password");
    expect(await isSignedIn(page)).toBe(true);
    expect(await isSignedIn(other)).toBe(false);
    await mailInOutbox(site.dataDir, account.email, "Your password was changed");
    const again = await site.visit();
    expect(await site.post(again.context(), "/auth/login", account)).toHaveProperty("error");
    const { email } = account;
    await site.post(again.context(), "/auth/login", { email, password: NEW_PASSWORD });
    expect(await isSignedIn(again)).toBe(true);
  });

  it("shows where one is signed in, and ends one session, or all others", async () => {
    const page = await visit();
    const account = await site.signUp(page.context());
    const [first, second] = [await otherBrowser(account), await otherBrowser(account)];
    await openAccount(page);
    const list = section(page, "Where you are signed in");
    await expect(list.getByRole("listitem")).toHaveCount(3);
    await expect(list.getByText("This one")).toHaveCount(1);
    await list
      .getByRole("button", { name: /^Sign out / })
      .first()
      .click();
    await expectAnswer(page, "Signed out there.", "sessions");
    await expect(list.getByRole("listitem")).toHaveCount(2);
    const left = [await isSignedIn(first), await isSignedIn(second)];
    expect(left.filter(Boolean)).toHaveLength(1);

    await list.getByRole("button", { name: "Sign out everywhere else" }).click();
    await expectAnswer(page, "Signed out everywhere else.", "sessions");
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(page)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("joins the newsletter and leaves it", async () => {
    const page = await visit();
    await site.signUp(page.context());
    await openAccount(page);
    const newsletter = section(page, "Newsletter");
    await newsletter.getByRole("button", { name: "Subscribe" }).click();
    await expectAnswer(page, "Thanks for subscribing!", "newsletter");
    await expect(newsletter).toContainText("You get the newsletter at this address.");
    await newsletter.getByRole("button", { name: "Unsubscribe" }).click();
    await expectAnswer(page, "You’ve been unsubscribed.", "newsletter");
    await expect(newsletter).toContainText("You do not get the newsletter at this address.");
  });

  it("changes the address once the new one is confirmed; the old one can undo it", async () => {
    const page = await visit();
    const account = await site.signUp(page.context());
    const newEmail = site.newEmail("moved");
    await openAccount(page);
    const form = section(page, "Email");
    await form.getByLabel("New email").fill(newEmail);
    await form.getByLabel("Your password", { exact: true }).fill("not that one");
    await form.getByRole("button", { name: "Change email" }).click();
    await expectAnswer(page, "That is not your password.", "email");
    // nothing is lost but the password
    await expect(form.getByLabel("New email")).toHaveValue(newEmail);
    await form.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await form.getByRole("button", { name: "Change email" }).click();
    await expectAnswer(page, "Check Your Email", "email");
    await expect(form).toContainText(`Waiting to be confirmed: ${newEmail}`);

    const mail = await mailInOutbox(site.dataDir, newEmail, "Confirm your new email address");
    const link = linkIn(mail, "/account/email/confirm").href;
    // in a browser that is signed out, it asks to log in first
    const elsewhere = await site.visit({ javaScriptEnabled });
    await elsewhere.goto(link);
    await elsewhere.getByLabel("Email", { exact: true }).fill(account.email);
    await elsewhere.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await elsewhere.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await elsewhere.getByRole("button", { name: "Change my email" }).click();
    await expectAnswer(elsewhere, "Email Changed!", "email");
    await openAccount(page);
    await expect(section(page, "Email")).toContainText(`${newEmail}, confirmed`);

    const notice = await mailInOutbox(
      site.dataDir,
      account.email,
      "Your email address was changed",
    );
    const owner = await site.visit({ javaScriptEnabled });
    await owner.goto(linkIn(notice, "/account/email/undo").href);
    await owner.getByRole("button", { name: "This is my account" }).click();
    await expect(toast(owner, "Your Account Is Yours Again")).toBeVisible();
    await owner.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await owner.getByRole("button", { name: "Save the new password" }).click();
    await expect(toast(owner, "Password Changed!")).toBeVisible();
    await openAccount(owner);
    await expect(section(owner, "Email")).toContainText(`${account.email}, confirmed`);
    expect(await isSignedIn(page)).toBe(false);
  });

  it("asks for the password again if it was entered more than ten minutes ago", async () => {
    const page = await visit();
    await site.signUp(page.context());
    await site.database.db.execute(
      sql`update sessions set verified_at = now() - interval '10 minutes 1 second'`,
    );
    await page.goto("/account/delete");
    await expect(page.getByRole("heading", { name: "Is it you?" })).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill("not that one");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(toast(page, "That is not your password.")).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/account/delete");
    await expect(page.getByRole("button", { name: "Delete my account for good" })).toBeVisible();
  });

  it("deletes the account in two steps, with its membership", async () => {
    const page = await visit();
    const { email, subscription } = await site.subscribe(page.context());
    await openAccount(page);
    const form = section(page, "Delete account");
    await form.getByLabel("Your password", { exact: true }).fill("not that one");
    await form.getByRole("button", { name: "Delete account" }).click();
    await expect(toast(page, "That is not your password.")).toBeVisible();
    await openAccount(page);
    await form.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await form.getByRole("button", { name: "Delete account" }).click();
    await page.waitForURL("**/account/delete");
    await expect(page.getByRole("main")).toContainText("Nothing more will be charged");

    // while Stripe is down, everything stays
    await site.sandbox("faults", { kind: "destroy", times: 0 });
    await page.getByRole("button", { name: "Delete my account for good" }).click();
    await expectAnswer(page, "nothing was deleted", "delete");
    await site.sandbox("faults/clear");
    expect(await isSignedIn(page)).toBe(true);

    await page.goto("/account/delete");
    await page.getByRole("button", { name: "Delete my account for good" }).click();
    await expect(toast(page, "Your Account Is Deleted")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(await isSignedIn(page)).toBe(false);
    await mailInOutbox(site.dataDir, email, "Your account is deleted");
    const state = await fetch(`${site.sandboxOrigin}/v1/subscriptions/${subscription}`, {
      headers: { Authorization: `Bearer ${SANDBOX_STRIPE.secretKey}` },
    });
    expect(await state.json()).toMatchObject({ status: "canceled" });
    // the address can sign up again, as new
    const again = await site.visit();
    const answer = await site.post(again.context(), "/auth/signup", { email, password: PASSWORD });
    expect(answer).toMatchObject({ redirectTo: "/" });
  });
});

describe("a new account", () => {
  it.each(WAYS)("is told once to confirm its address, $way", async ({ javaScriptEnabled }) => {
    const page = await site.visit({ javaScriptEnabled });
    const email = site.newEmail();
    await page.goto("/auth?tab=signup");
    if (javaScriptEnabled) await hydrated(page);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("main").getByRole("button", { name: "Create Account" }).click();
    await page.waitForURL(`${site.origin}/`);
    const notice = page.getByRole("region", { name: "Your email" });
    await expect(notice).toContainText(`We have mailed a link to ${email}.`);
    await expect(toast(page, "Account Created!")).toBeVisible();
    await page.goto("/");
    await expect(notice).toHaveCount(0);

    await openAccount(page);
    await expect(section(page, "Email")).toContainText(`${email}, not confirmed yet`);
    const mail = await mailInOutbox(site.dataDir, email, "Welcome to The Golden Path");
    await page.goto(linkIn(mail, "/auth/confirm-email").href);
    await page.getByRole("button", { name: "Confirm my email" }).click();
    await expectAnswer(page, "Email Confirmed!", "email");
    await expect(section(page, "Email")).toContainText(`${email}, confirmed`);
  });

  it("is taken from a squatter when the address's owner confirms it, who is sent the link again", async () => {
    const squatter = await site.visit();
    const { email } = await site.signUp(squatter.context());
    await openAccount(squatter);
    await section(squatter, "Email")
      .getByRole("button", { name: "Send the confirmation link again" })
      .click();
    await expectAnswer(squatter, "Check Your Email", "email");
    const mail = await mailInOutbox(site.dataDir, email, "Confirm your email address");
    const owner = await site.visit();
    await owner.goto(linkIn(mail, "/auth/confirm-email").href);
    await expect(owner.getByRole("main")).toContainText("will be signed out");
    expect(await isSignedIn(squatter)).toBe(true);
    await owner.getByRole("button", { name: "Confirm my email" }).click();
    await expect(toast(owner, "Then choose a new password.")).toBeVisible();
    expect(await isSignedIn(squatter)).toBe(false);
  });
});

describe("the account page", () => {
  it("has every field, button and link in the order of the Tab key, in sight when focused", async () => {
    const page = await site.visit({ reducedMotion: "reduce" });
    const account = await site.signUp(page.context());
    await otherBrowser(account);
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
    // nine sections with their forms
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
