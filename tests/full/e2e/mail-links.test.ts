import { afterAll, describe, expect, it, vi } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { linkIn } from "../../support/mail";
import { expectToast } from "../../support/pages";
import { startSmtpServer } from "../../support/smtp";

const smtp = await startSmtpServer();
afterAll(() => smtp.close());

const site = siteForThisFile({
  variables: { SMTP_URL: smtp.url, MAIL_FROM: "The Golden Path <letters@book.test>" },
});

const passwordMail = (email: string) =>
  vi.waitUntil(
    () =>
      smtp.delivered.find(
        ({ recipients, headers }) =>
          recipients[0] === email && headers.subject === "Choose a new password",
      ),
    { timeout: 60_000 },
  );

describe("the link of a reset mail", () => {
  // without JavaScript, the crawl opens it and sends its form
  it("sets a new password, once", async () => {
    const email = "forgetful@example.test";
    const page = await site.visit();
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

    const link = linkIn(await passwordMail(email), "/auth/reset-password");
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

    const logIn = (password: string) =>
      context.request.post("/auth/login", {
        data: { email, password },
        headers: { Origin: site.origin },
      });
    await context.clearCookies();
    expect((await logIn("a forgotten one")).status()).toBe(401);
    expect((await logIn("one to remember")).status()).toBe(200);
  });
});
