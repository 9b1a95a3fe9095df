import type { CDPSession, Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";

const site = siteForThisFile();

/** Chromium's virtual authenticator: a phone's or laptop's own, whose user confirms at once. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

const section = (page: Page) => page.locator("#passkeys");
const toast = (page: Page, title: string) => page.locator(".toast", { hasText: title });
const addButton = (page: Page) => section(page).getByRole("button", { name: "Add a passkey" });
const signInButton = (page: Page) => page.getByRole("button", { name: "Use a passkey" });

/** A new account with a passkey in this page's authenticator. */
async function withPasskey() {
  const page = await site.visit();
  const authenticator = await addAuthenticator(page);
  const account = await site.signUp(page.context());
  await site.open("/account", page);
  await addButton(page).click();
  await expect(toast(page, "Passkey added")).toBeVisible();
  await expect(section(page).getByRole("listitem")).toHaveCount(1);
  return { page, account, ...authenticator };
}

async function signInAnew(page: Page): Promise<void> {
  await page.context().clearCookies();
  await site.open("/auth", page);
  await signInButton(page).click();
}

/** The text shown for a rejected sign-in; the console's own line about the status is expected. */
async function expectRejection(page: Page, text: string): Promise<void> {
  await expect(toast(page, "Sign in Failed")).toContainText(text);
  expect(new URL(page.url()).pathname).toBe("/auth");
}

describe("a passkey", () => {
  it("can be added once per device, has a name, and signs in until it is removed", async () => {
    const { page, account } = await withPasskey();
    const item = section(page).getByRole("listitem");
    await expect(item).toContainText(/Chrom.* on Linux/);
    await expect(item).toContainText("not used yet");
    await item.getByText("Rename").click();
    await item.getByLabel("Name of this passkey").fill("My laptop");
    await item.getByRole("button", { name: "Save name" }).click();
    await expect(toast(page, "Your passkey has a new name.")).toBeVisible();
    await expect(item).toContainText("My laptop");
    await addButton(page).click();
    await expect(page.locator(".toast")).toContainText("This device already has a passkey");

    await signInAnew(page);
    await page.waitForURL(`${site.origin}/`);
    await expect(toast(page, "🎉 Welcome Back!")).toContainText(
      "You've been successfully signed in.",
    );
    await site.open("/account", page);
    await expect(page.getByRole("main")).toContainText(account.email);
    await expect(item).toContainText("last used");

    await item.getByRole("button", { name: "Remove" }).click();
    await expect(toast(page, "Passkey removed")).toBeVisible();
    await expect(section(page).getByRole("listitem")).toHaveCount(0);
    await signInAnew(page);
    await expectRejection(page, "We don’t recognize this passkey.");
  });

  it("confirms the user before a sensitive step", async () => {
    const { page } = await withPasskey();
    await site.database.db.execute("update sessions set verified_at = now() - interval '1 hour'");
    await section(page).getByRole("button", { name: "Remove" }).click();
    await page.waitForURL("**/account/verify?*");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await expect(toast(page, "Thank you")).toBeVisible();
    await page.waitForURL("**/account#passkeys");
    await section(page).getByRole("button", { name: "Remove" }).click();
    await expect(toast(page, "Passkey removed")).toBeVisible();
  });

  it("is useless to another origin: the browser refuses it", async () => {
    const { page } = await withPasskey();
    await page.context().clearCookies();
    await page.route("https://evil.example/**", (route) =>
      route.fulfill({ body: "<title>Evil</title>", contentType: "text/html" }),
    );
    await page.goto("https://evil.example/");
    const reason = await page.evaluate(() =>
      navigator.credentials
        .get({ publicKey: { challenge: new Uint8Array(32), rpId: "localhost" } })
        .then(
          () => "an answer",
          (error: Error) => error.name,
        ),
    );
    expect(reason).toBe("SecurityError");
  });

  it("shows no error when the user cancels the browser's dialog", async () => {
    const page = await site.visit();
    const { cdp, authenticatorId } = await addAuthenticator(page);
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await site.signUp(page.context());
    await site.open("/account", page);
    await addButton(page).click();
    await expect(toast(page, "No passkey was used")).toBeVisible();
    await expect(addButton(page)).toBeFocused();
  });
});

describe("the passkey buttons", () => {
  it("are hidden without JavaScript, which the account page explains", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    await page.goto("/auth");
    await expect(signInButton(page)).toHaveCount(0);
    await site.signUp(page.context());
    await page.goto("/account");
    await expect(addButton(page)).toHaveCount(0);
    await expect(section(page).locator("noscript p")).toHaveText(
      "To add a passkey, please turn on JavaScript.",
    );
  });

  it("are hidden in a browser without passkeys", async () => {
    const page = await site.visit();
    await page.addInitScript(() => Reflect.deleteProperty(window, "PublicKeyCredential"));
    await site.open("/auth", page);
    await expect(page.getByRole("button", { name: "Log In" })).toBeVisible();
    await expect(signInButton(page)).toHaveCount(0);
    await site.signUp(page.context());
    await site.open("/account", page);
    await expect(section(page)).toContainText("This browser can’t make passkeys.");
    await expect(addButton(page)).toHaveCount(0);
  });

  it("appear on the Login tab only, shift nothing, and load their script when pressed", async () => {
    const page = await site.visit();
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith(".js")) scripts.push(request.url());
    });
    await page.goto("/auth");
    const footer = page.getByRole("contentinfo");
    const before = await footer.boundingBox();
    await expect(signInButton(page)).toBeVisible();
    expect(await footer.boundingBox()).toEqual(before);
    await page.waitForLoadState("networkidle");
    const loaded = scripts.length;
    await addAuthenticator(page);
    await signInButton(page).click();
    await expect(toast(page, "No passkey was used")).toBeVisible();
    expect(scripts.slice(loaded)).toEqual(
      expect.arrayContaining([expect.stringContaining("passkey-ceremony")]),
    );
    await page.getByRole("tab", { name: "Sign Up" }).click();
    await expect(page.getByRole("button", { name: "Create Account" })).toBeVisible();
    await expect(signInButton(page)).toHaveCount(0);
  });
});
