import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright";
import { describe, it, onTestFinished } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { temporaryDirectory } from "../../support/program";

const site = siteForThisFile();
const PASSWORD = "a long walk";

/** A page of a browser whose settings refuse all cookies. */
async function visit(javaScriptEnabled: boolean, width: number): Promise<Page> {
  const profile = temporaryDirectory();
  mkdirSync(join(profile.path, "Default"));
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile.path, "Default/Preferences"), JSON.stringify(settings));
  const context = await chromium.launchPersistentContext(profile.path, {
    executablePath: process.env.CHROMIUM_PATH,
    chromiumSandbox: false,
    baseURL: site.origin,
    javaScriptEnabled,
    viewport: { width, height: 800 },
  });
  onTestFinished(async () => {
    await context.close();
    profile.remove();
  });
  return context.newPage();
}

// clipperz/password-manager#122, pallets-eco/flask-security-3.0#233, OpenSlides/OpenSlides#2654
describe.each([
  ["with scripts", true, 1280],
  ["without scripts", false, 360],
])("a browser that refuses cookies, %s", (_name, scripts, width) => {
  it.each([
    ["log-in", "/auth", "Log In"],
    ["sign-up", "/auth?tab=signup", "Create Account"],
    ["log-in on another page", "/billing/card", "Log In"],
  ])("is told so after a %s, as often as it tries", async (name, path, button) => {
    const isNew = name === "sign-up";
    const email = isNew ? site.newEmail() : (await site.newAccount()).email;
    const page = await visit(scripts, width);
    await page.goto(path);
    for (const label of [button, "Log In"]) {
      const form = page.locator("form", { has: page.getByLabel("Password", { exact: true }) });
      await form.getByLabel("Email").fill(email);
      await form.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await form.getByRole("button", { name: label, exact: true }).click();
      await expect(page.getByRole("alert")).toContainText("your browser didn’t keep the cookie");
      await expect(page.getByRole("alert")).toContainText(
        `allow cookies for ${new URL(site.origin).host}`,
      );
      await expect(form.getByLabel("Email")).toHaveValue(email);
      await expect(form.getByLabel("Password", { exact: true })).toHaveValue("");
      await expect(form.getByRole("button", { name: "Log In", exact: true })).toBeEnabled();
      await expect(page.getByText("Welcome Back!")).toHaveCount(0);
      await expect(page.getByText("Account Created!")).toHaveCount(0);
      if (scripts) await expect(page).toHaveURL(`${site.origin}/auth`);
    }
  });
});
