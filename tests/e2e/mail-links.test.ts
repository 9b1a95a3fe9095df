import { describe, expect, it } from "vitest";
import { siteForThisFile } from "../support/e2e-site";
import { linkIn, mailInOutbox } from "../support/mail";
import { expectToast } from "../support/pages";

const site = siteForThisFile({ variables: { NEWSLETTER_DOUBLE_OPT_IN: "true" } });

describe.each([
  { name: "with JavaScript", javaScriptEnabled: true },
  { name: "without JavaScript", javaScriptEnabled: false },
])("the links in a mail $name", ({ javaScriptEnabled }) => {
  const email = `forgetful-${javaScriptEnabled ? "js" : "plain"}@example.test`;

  it("set a new password, once", async () => {
    const page = await site.visit({ javaScriptEnabled });
    const context = page.context();
    await context.request.post("/auth/signup", {
      form: { email, password: "a forgotten one" },
      headers: { Origin: site.origin },
    });
    await context.clearCookies();

    await page.goto("/auth/forgot-password");
    expect(await page.title()).toBe("Forgot your password? · The Golden Path");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await expectToast(page, "📬 Check Your Email");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Check your email");

    const link = linkIn(
      await mailInOutbox(site.dataDir, email, "Choose a new password"),
      "/auth/reset-password",
    );
    const answer = await page.goto(link.href);
    expect(await answer?.headerValue("Referrer-Policy")).toBe("strict-origin");
    expect(await answer?.headerValue("Cache-Control")).toContain("no-store");
    expect(await page.getByText(email).count()).toBe(1);
    await page.getByLabel("New password").fill("one to remember");
    await page.getByRole("button", { name: "Save the new password" }).click();
    await expectToast(page, "✅ Password Changed!", "You've been successfully signed in.");
    expect(new URL(page.url()).pathname).toBe("/");

    await page.goto(link.href);
    await expectToast(
      page,
      "Password Reset Failed",
      "This link has expired or was already used. Please ask for a new one.",
    );
    expect(new URL(page.url()).pathname).toBe("/auth/forgot-password");
  });

  it("confirm a newsletter address, and unsubscribe it", async () => {
    const page = await site.visit({ javaScriptEnabled });
    const context = page.context();
    await context.request.post("/newsletter", {
      form: { email },
      headers: { Origin: site.origin },
    });
    await context.clearCookies();
    const mail = await mailInOutbox(site.dataDir, email, "One step left: confirm your email");

    await page.goto(linkIn(mail, "/newsletter/confirm").href);
    await page.getByRole("button", { name: "Confirm my email" }).click();
    await expectToast(page, "🎉 Email Confirmed!", "Thank you. You’re on the list.");

    const unsubscribe = String(mail.headers["list-unsubscribe"]).replace(/[<>]/g, "");
    await page.goto(unsubscribe);
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await expectToast(page, "👋 You’ve been unsubscribed.");

    const oneClick = await fetch(unsubscribe, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
      redirect: "manual",
    });
    expect(oneClick.status).toBe(200);
  });
});
