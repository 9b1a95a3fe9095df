import { describe, expect, it } from "vitest";
import { siteForThisFile } from "../support/e2e-site";
import { expectToast } from "../support/pages";

const site = siteForThisFile();

describe.each([
  { name: "with JavaScript", javaScriptEnabled: true },
  { name: "without JavaScript", javaScriptEnabled: false },
])("the main job $name", ({ javaScriptEnabled }) => {
  it("is done from the first visit to the cancelled membership", async () => {
    const page = await site.visit({ javaScriptEnabled });
    const email = `reader-${javaScriptEnabled ? "js" : "plain"}@example.test`;
    const password = "a long walk";

    // reads the landing page
    await page.goto("/");
    expect(await page.title()).toContain("The Golden Path");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("The Golden Path");
    for (const id of ["about", "preview", "author", "reviews", "purchase", "newsletter"]) {
      expect(await page.locator(`#${id}`).count(), id).toBe(1);
    }

    // may not see the members' area yet
    await page.goto("/premium");
    expect(new URL(page.url()).pathname).toBe("/");

    // is told to sign up before upgrading
    await page.getByRole("button", { name: "Upgrade to Premium" }).click();
    await expectToast(page, "Authentication Required", "Please log in or sign up to upgrade.");

    // signs up
    await page.getByRole("banner").getByRole("link", { name: "Sign Up" }).first().click();
    await page.waitForURL("**/auth?tab=signup");
    const form = page.getByRole("tabpanel").filter({ visible: true });
    await form.getByLabel("Email").fill(email);
    await form.getByLabel("Password", { exact: true }).fill(password);
    await form.getByRole("button", { name: "Create Account" }).click();
    await page.waitForURL(`${site.origin}/`);
    await expectToast(
      page,
      "✅ Account Created!",
      "Welcome! You have been successfully signed in.",
    );

    // joins the newsletter
    const newsletter = page.locator("#newsletter");
    await newsletter.getByLabel("Email address").fill(email);
    await newsletter.getByRole("button", { name: "Subscribe" }).click();
    await expectToast(page, "🎉 Success!", "Thanks for subscribing! You're on the list.");
    expect(await newsletter.getByLabel("Email address").inputValue()).toBe("");

    // changes their mind at the checkout, and comes back
    await page.getByRole("button", { name: "Upgrade to Premium" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await page.getByText("Cancel", { exact: true }).first().click();
    await page.waitForURL(`${site.origin}/checkout/cancelled`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing was charged");
    await page.getByRole("link", { name: "Back to the premium offer" }).click();

    // is declined once, then pays
    await page.getByRole("button", { name: "Upgrade to Premium" }).click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await page.getByLabel("Card number").fill("4000 0000 0000 0002");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.getByText("Your card was declined.").waitFor();
    await page.getByLabel("Card number").fill("4242 4242 4242 4242");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.waitForURL(`${site.origin}/checkout/success?session_id=*`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "You're a Premium Member",
    );

    // reads the members' area
    await page.getByRole("main").getByRole("link", { name: "Go to the members’ area" }).click();
    await page.waitForURL("**/premium");
    await page.getByRole("heading", { level: 1 }).filter({ hasText: email }).waitFor();
    for (const card of ["Full Chapter Access", "Exclusive Content", "Private Community"]) {
      await page.getByRole("heading", { name: card }).waitFor();
    }

    // sees on the landing page that there is nothing more to buy
    await page.getByRole("link", { name: "Start Reading" }).click();
    await page.waitForURL(`${site.origin}/`);
    const member = page.getByRole("button", { name: "You're a Premium Member!" });
    await member.waitFor();
    expect(await member.isDisabled()).toBe(true);

    // cancels, and keeps what is paid for
    await page
      .locator("#purchase")
      .getByRole("button", { name: "Manage or cancel membership" })
      .click();
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await page.getByText("Cancel subscription", { exact: true }).first().click();
    await page.getByRole("button", { name: "Cancel subscription" }).click();
    await page.getByRole("link", { name: /^Return to/ }).click();
    await page.waitForURL("**/premium");
    await page.getByText("Your membership is cancelled.").waitFor();

    // leaves, and the members' area is closed
    await page.getByRole("banner").getByLabel("Account menu").click();
    await page.getByText("Log out", { exact: true }).filter({ visible: true }).click();
    await page.waitForURL(`${site.origin}/`);
    await expectToast(page, "👋 You've been signed out.");
    await page.goto("/premium");
    expect(new URL(page.url()).pathname).toBe("/");
  });
});
