import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../support/browser-expect";
import { siteForThisFile } from "../support/e2e-site";
import { holdRequests } from "../support/held-requests";
import { expectToast } from "../support/pages";

const site = siteForThisFile({ sharesTab: true });

const form = (page: Page) => page.getByRole("tabpanel");
const emailField = (page: Page) => form(page).getByLabel("Email");
const passwordField = (page: Page) => form(page).getByLabel("Password", { exact: true });

async function fillIn(page: Page, { email, password }: { email: string; password: string }) {
  await emailField(page).fill(email);
  await passwordField(page).fill(password);
}

describe("the Login form", () => {
  it("is disabled and says 'Signing In...' while busy, then goes to '/' with a welcome", async () => {
    const page = await site.visit();
    const account = await site.newAccount();
    await site.open("/auth", page);
    await fillIn(page, account);
    const held = await holdRequests(page, "/auth/login");
    const button = form(page).getByRole("button", { name: /Log In|Signing In/ });
    await button.click();
    await expect(button).toHaveText("Signing In...");
    await expect(emailField(page)).toBeDisabled();
    await expect(passwordField(page)).toBeDisabled();
    await expect(button).toBeDisabled();
    // a second press sends no request
    await button.press("Enter");
    expect(held.requests).toHaveLength(1);

    held.release();
    await expectToast(page, "🎉 Welcome Back!", "You've been successfully signed in.");
    await expect(page).toHaveURL(`${site.origin}/`);
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });

  it("keeps the e-mail and empties the password after a failure", async () => {
    const page = await site.open("/auth");
    await fillIn(page, { email: "nobody@example.test", password: "not the one" });
    await form(page).getByRole("button", { name: "Log In" }).click();
    await expectToast(page, "Sign in Failed", "Invalid login credentials");
    await expect(page).toHaveURL(`${site.origin}/auth`);
    await expect(emailField(page)).toHaveValue("nobody@example.test");
    await expect(emailField(page)).toBeEnabled();
    await expect(passwordField(page)).toHaveValue("");
    await expect(passwordField(page)).toBeFocused();
    // the form itself shows nothing
    await expect(form(page).getByText(/failed|invalid/i)).toHaveCount(0);
  });
});

describe("the Sign Up form", () => {
  it("is disabled and says 'Creating Account...' while busy, then goes to '/'", async () => {
    const page = await site.open("/auth?tab=signup");
    await fillIn(page, { email: site.newEmail(), password: "123456" });
    const held = await holdRequests(page, "/auth/signup");
    const button = form(page).getByRole("button", { name: /Create Account|Creating Account/ });
    await button.click();
    await expect(button).toHaveText("Creating Account...");
    await expect(emailField(page)).toBeDisabled();
    await expect(passwordField(page)).toBeDisabled();
    await expect(button).toBeDisabled();

    held.release();
    await expectToast(
      page,
      "✅ Account Created!",
      "Welcome! You have been successfully signed in.",
    );
    await expect(page).toHaveURL(`${site.origin}/`);
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });
});

describe.each([
  { name: "Login", path: "/auth", submit: "Log In", action: "/auth/login" },
  {
    name: "Sign Up",
    path: "/auth?tab=signup",
    submit: "Create Account",
    action: "/auth/signup",
  },
])("the browser's own check of the $name form", ({ path, submit, action }) => {
  it("stops missing, malformed and short values, and sends nothing", async () => {
    const page = await site.open(path);
    const held = await holdRequests(page, action);
    for (const { email, password, bad } of [
      { email: "", password: "long enough", bad: emailField(page) },
      { email: "reader", password: "long enough", bad: emailField(page) },
      { email: "reader@example.test", password: "", bad: passwordField(page) },
      { email: "reader@example.test", password: "12345", bad: passwordField(page) },
    ]) {
      await emailField(page).fill(email);
      await passwordField(page).clear();
      // browsers check the length only of typed values, not of those set by script
      await passwordField(page).pressSequentially(password);
      await form(page).getByRole("button", { name: submit }).click();
      await expect(bad).toBeFocused();
      expect(await bad.evaluate((input) => input.matches(":invalid"))).toBe(true);
    }
    expect(held.requests).toHaveLength(0);
    await passwordField(page).pressSequentially("6");
    await form(page).getByRole("button", { name: submit }).click();
    await expect.poll(() => held.requests.length).toBe(1);
  });
});

describe("the newsletter form", () => {
  const parts = (page: Page) => {
    const section = page.getByRole("region", { name: "Stay Connected" });
    return {
      email: section.getByLabel("Email address"),
      button: section.getByRole("button", { name: /Subscrib/ }),
    };
  };

  it("is disabled and says 'Subscribing...' while busy, then clears its field", async () => {
    const page = await site.open("/");
    const { email, button } = parts(page);
    await email.fill(site.newEmail());
    const held = await holdRequests(page, "/newsletter");
    await button.click();
    await expect(button).toHaveText("Subscribing...");
    await expect(email).toBeDisabled();
    await expect(button).toBeDisabled();

    held.release();
    await expectToast(page, "🎉 Success!", "Thanks for subscribing! You're on the list.");
    await expect(email).toHaveValue("");
    await expect(email).toBeEnabled();
    await expect(button).toHaveText("Subscribe");
  });

  it("does nothing with an empty value or an invalid e-mail address", async () => {
    const page = await site.open("/");
    const { email, button } = parts(page);
    const held = await holdRequests(page, "/newsletter");
    for (const value of ["", "  ", "reader at example"]) {
      await email.fill(value);
      await button.click();
      await expect(email).toBeFocused();
    }
    // without the browser's check, the form's own script also sends no empty value
    await email.evaluate((input: HTMLInputElement) => {
      input.required = false;
    });
    await email.fill("");
    await button.click();
    await expect(button).toHaveText("Subscribe");
    await expect(page.locator(".toast")).toHaveCount(0);
    expect(held.requests).toHaveLength(0);
  });
});

describe("the tabs of the account page", () => {
  it("switch between log in and sign up and keep what was typed", async () => {
    const page = await site.open("/auth");
    await fillIn(page, { email: "reader@example.test", password: "typed here" });
    await page.getByRole("tab", { name: "Sign Up" }).click();
    await expect(page.getByRole("tab", { selected: true })).toHaveText("Sign Up");
    await expect(page).toHaveURL(`${site.origin}/auth?tab=signup`);
    await expect(emailField(page)).toHaveValue("reader@example.test");

    await page.getByRole("tab", { name: "Login" }).click();
    await expect(page.getByRole("tab", { selected: true })).toHaveText("Login");
    await expect(page).toHaveURL(`${site.origin}/auth`);
    await expect(emailField(page)).toHaveValue("reader@example.test");
  });
});

describe("the premium button", () => {
  const upgrade = (page: Page) =>
    page.locator("#purchase").getByRole("button", { name: /Upgrade to Premium|Redirecting/ });

  it("is 'Redirecting...' until the payment page opens", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    const held = await holdRequests(page, "/checkout");
    await upgrade(page).click();
    await expect(upgrade(page)).toHaveText("Redirecting...");
    await expect(upgrade(page)).toBeDisabled();
    await upgrade(page).press("Enter");
    expect(held.requests).toHaveLength(1);
    held.release();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await expect(page.getByText("$9.99")).toBeVisible();

    // going back enables it again
    await page.goBack();
    await expect(upgrade(page)).toHaveText("Upgrade to Premium");
    await expect(upgrade(page)).toBeEnabled();
  });

  it('is disabled and says "You\'re a Premium Member!" to a member', async () => {
    const page = await site.visit();
    await site.signUpAsMember(page.context());
    await site.open("/", page);
    const button = page.locator("#purchase").getByRole("button", { name: /Member!/ });
    await expect(button).toHaveText("You're a Premium Member!");
    await expect(button).toBeDisabled();
    await expect(upgrade(page)).toHaveCount(0);
  });
});

describe("'Loading...'", () => {
  const loading = (page: Page) => page.getByRole("main").getByText("Loading...", { exact: true });
  const membersArea = (page: Page) =>
    page.getByRole("banner").getByRole("link", { name: "Members’ area" });

  it("shows while '/premium' is loading, until access is confirmed", async () => {
    const page = await site.visit();
    const { email } = await site.signUpAsMember(page.context());
    await site.open("/", page);
    const held = await holdRequests(page, "/premium.data");
    await membersArea(page).click();
    await expect(loading(page)).toBeVisible();
    await expect(page.locator("#purchase")).toHaveCount(0);
    held.release();
    await expect(page.getByRole("heading", { level: 1 })).toContainText(email);
    await expect(loading(page)).toHaveCount(0);
  });

  it("shows at '/premium' while the viewer is reloaded after another tab has signed out", async () => {
    const page = await site.visit();
    await site.signUpAsMember(page.context());
    await site.open("/premium", page);
    const other = await site.open("/", await page.context().newPage());
    const held = await holdRequests(page, "/premium.data");
    await other.getByRole("banner").getByLabel("Account menu").click();
    await other.getByRole("menuitem", { name: "Log out" }).click();
    await expect(loading(page)).toBeVisible();
    held.release();
    await expect(page.getByRole("button", { name: "Upgrade to Premium" })).toBeVisible();
    await expect(page).toHaveURL(`${site.origin}/`);
  });
});

describe("a page whose session could not be checked", () => {
  const loading = (page: Page) => page.getByRole("main").getByText("Loading...", { exact: true });
  const logIn = (page: Page) => page.getByRole("banner").getByRole("link", { name: "Log In" });

  it("starts as loading, and shows the members' area once a retry has succeeded", async () => {
    const page = await site.visit();
    const { email } = await site.signUpAsMember(page.context());
    const held = await holdRequests(page, "/premium.data");
    await site.without("sessions", async () => {
      await site.open("/premium", page);
      await expect(loading(page)).toBeVisible();
      await expect.poll(() => held.requests.length).toBe(1);
    });
    await expect(loading(page)).toBeVisible();
    held.release();
    await expect(page.getByRole("heading", { level: 1 })).toContainText(email);
    await expect(loading(page)).toHaveCount(0);
    expect(held.requests).toHaveLength(1);
  });

  it("updates the header once a retry has succeeded", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    const held = await holdRequests(page, "/_root.data");
    await site.without("sessions", async () => {
      await page.goto("/");
      await expect(logIn(page)).toBeVisible();
      await expect.poll(() => held.requests.length).toBe(1);
    });
    held.release();
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });

  it("retries twice, then shows the landing page and stops", async () => {
    // its clock stays installed
    const page = await site.visit({});
    await site.signUpAsMember(page.context());
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith(".data")) asked.push(pathname);
    });
    await page.clock.install();
    await site.without("sessions", async () => {
      await site.open("/premium", page);
      await expect.poll(() => asked).toEqual(["/premium.data"]);
      await expect(loading(page)).toBeVisible();
      let seconds = 0;
      await expect
        .poll(async () => {
          await page.clock.runFor(1_000);
          seconds++;
          return page.url();
        })
        .toBe(`${site.origin}/`);
      // the pause starts when the first response has arrived
      expect(seconds).toBeGreaterThanOrEqual(5);
      await expect(page.getByRole("button", { name: "Upgrade to Premium" })).toBeVisible();
      await expect(logIn(page)).toBeVisible();
      const asksSoFar = [...asked];
      expect(asksSoFar.filter((path) => path === "/premium.data")).toHaveLength(2);
      await page.clock.runFor(10 * 60_000);
      expect(asked).toEqual(asksSoFar);
    });
  });

  it("does not notify other tabs", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    const noted = () => page.evaluate(() => localStorage.getItem("golden-path:auth"));
    const before = await noted();
    const held = await holdRequests(page, "/_root.data");
    await site.without("sessions", async () => {
      await site.open("/", page);
      await expect.poll(() => held.requests.length).toBe(1);
      expect(await noted()).toBe(before);
    });
    held.release();
  });

  it("is the landing page, signed out, without JavaScript", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    await site.signUpAsMember(page.context());
    await site.without("sessions", async () => {
      await page.goto("/premium");
      await expect(page).toHaveURL(`${site.origin}/`);
      await expect(logIn(page)).toBeVisible();
    });
    await page.goto("/premium");
    await expect(page).toHaveURL(`${site.origin}/premium`);
  });
});

describe("another tab of the same browser", () => {
  it("follows a sign-in and a sign-out, and keeps typed text", async () => {
    const page = await site.visit();
    const account = await site.newAccount();
    const other = await site.open("/", await page.context().newPage());
    const newsletter = other.locator("#newsletter").getByLabel("Email address");
    await newsletter.fill("half an addr");

    await site.open("/auth", page);
    await fillIn(page, account);
    await form(page).getByRole("button", { name: "Log In" }).click();
    await expect(other.getByRole("banner").getByLabel("Account menu")).toBeVisible();
    await expect(newsletter).toHaveValue("half an addr");

    await page.getByRole("banner").getByLabel("Account menu").click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await expect(other.getByRole("banner").getByRole("link", { name: "Log In" })).toBeVisible();
    await expect(newsletter).toHaveValue("half an addr");
    // the toast belongs to the tab that signed out
    await expect(other.locator(".toast")).toHaveCount(0);
  });
});
