import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { linkIn, mailInOutbox } from "../../support/mail";

const site = siteForThisFile({ variables: { NEWSLETTER_DOUBLE_OPT_IN: "true" } });

/** Too long for an address, which browsers do not check. */
const OVERLONG_EMAIL = `${"a".repeat(300)}@example.test`;

/** Opens a form's page and sends it so that it fails. */
type Failure = (page: Page) => Promise<void>;

const press = (page: Page, name: string) =>
  page.getByRole("main").getByRole("button", { name }).first().click();
const failedToast = (page: Page) => page.locator(".toast[data-variant=destructive]");

async function pressAndFail(page: Page, name: string): Promise<void> {
  await press(page, name);
  await expect(failedToast(page)).toBeVisible();
}

async function whilePaymentsFail(work: () => Promise<void>): Promise<void> {
  await site.sandbox("faults", { kind: "error", times: 0 });
  try {
    await work();
  } finally {
    await site.sandbox("faults/clear");
  }
}

async function resetLink(page: Page): Promise<string> {
  const { email } = await site.newAccount();
  await page.context().request.post("/auth/forgot-password", {
    form: { email },
    headers: { Origin: site.origin },
  });
  const mail = await mailInOutbox(site.dataDir, email, "Choose a new password");
  return linkIn(mail, "/auth/reset-password").href;
}

async function newsletterMail(page: Page) {
  const email = site.newEmail();
  await site.post(page.context(), "/newsletter", { email });
  return mailInOutbox(site.dataDir, email, "One step left: confirm your email");
}

const FAILURES: Record<string, Failure> = {
  "log in": async (page) => {
    await page.goto("/auth");
    await page.getByLabel("Email").fill("nobody@example.test");
    await page.getByLabel("Password", { exact: true }).fill("not that one");
    await pressAndFail(page, "Log In");
  },
  "sign up": async (page) => {
    const { email } = await site.newAccount();
    await page.goto("/auth?tab=signup");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill("another one");
    await pressAndFail(page, "Create Account");
  },
  newsletter: async (page) => {
    await page.goto("/");
    await page.getByLabel("Email address").fill(site.newEmail());
    await site.without("subscribers", () => pressAndFail(page, "Subscribe"));
  },
  upgrade: async (page) => {
    await site.signUp(page.context());
    await page.goto("/");
    await whilePaymentsFail(() => pressAndFail(page, "Upgrade to Premium"));
  },
  "manage membership": async (page) => {
    await site.subscribe(page.context());
    await page.goto("/premium");
    await whilePaymentsFail(() => pressAndFail(page, "Manage or cancel membership"));
  },
  "forgot password": async (page) => {
    await page.goto("/auth/forgot-password");
    await page.getByLabel("Email").fill(OVERLONG_EMAIL);
    await pressAndFail(page, "Send me a link");
  },
  "new password": async (page) => {
    await page.goto(await resetLink(page));
    await page.getByLabel("New password").fill("one to remember");
    await site.without("sessions", () => pressAndFail(page, "Save the new password"));
  },
  "confirm an address": async (page) => {
    await page.goto(linkIn(await newsletterMail(page), "/newsletter/confirm").href);
    await site.without("subscribers", () => pressAndFail(page, "Confirm my email"));
  },
  unsubscribe: async (page) => {
    const { headers } = await newsletterMail(page);
    await page.goto(String(headers["list-unsubscribe"]).replace(/[<>]/g, ""));
    await site.without("subscribers", () => pressAndFail(page, "Unsubscribe"));
  },
};

/** A page's text outside its toast. */
const wordsOf = (page: Page) => page.locator("header, main").allInnerTexts();

describe.each([
  { name: "with JavaScript", javaScriptEnabled: true },
  { name: "without JavaScript", javaScriptEnabled: false },
])("a form that failed shows nothing itself $name", ({ javaScriptEnabled }) => {
  it.each(Object.keys(FAILURES))("%s", async (name) => {
    const page = await site.visit({ javaScriptEnabled });
    await FAILURES[name]?.(page);
    // the same page without a failure
    const fresh = await page.context().newPage();
    await fresh.goto(page.url());
    // some of it comes with JavaScript, such as the button that shows a password
    if (javaScriptEnabled) await Promise.all([hydrated(fresh), hydrated(page)]);
    await expect(fresh.locator(".toast")).toHaveCount(0);
    const words = await wordsOf(fresh);
    await expect.poll(() => wordsOf(page)).toEqual(words);
    await expect(page.locator("main :is([role=alert], [aria-invalid])")).toHaveCount(0);
  });
});
