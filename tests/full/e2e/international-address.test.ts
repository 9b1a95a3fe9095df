import type { Page } from "playwright";
import { expect as expectValue, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { Visitor } from "../../support/http-client";
import { hydrated } from "../../support/hydrated.mjs";
import { linkIn, mailInOutbox } from "../../support/mail";
import { runProgram } from "../../support/program";

const site = siteForThisFile();

const TYPED = "Anna@München.example";
const READABLE = "anna@münchen.example";
const STORED = "anna@xn--mnchen-3ya.example";
const PASSWORDS = ["Password1", "a long walk", "a longer walk"] as const;

const toast = (page: Page, text: string) => page.locator(".toast:visible", { hasText: text });

async function command(...words: string[]): Promise<string> {
  const { stdout, stderr } = await runProgram({ command: words, variables: site.variables });
  return stdout + stderr;
}

/** Posts a form without JavaScript; returns the page to which that leads. */
async function post(firefox: Visitor, path: string, form: Record<string, string>) {
  let answer = await firefox.post(path, { form });
  while (answer.headers.location) {
    answer = await firefox.get(answer.headers.location.replace(site.origin, ""));
  }
  return answer;
}

it("opens an account in Chromium that works in Firefox and in commands, to its deletion", async () => {
  // Chromium sends the domain in ASCII
  const chromium = await site.open("/auth");
  await chromium.getByRole("tab", { name: "Sign Up" }).click();
  const form = chromium.getByRole("tabpanel");
  await form.getByLabel("Email").fill(TYPED);
  await form.getByLabel("Password", { exact: true }).fill(PASSWORDS[0]);
  await form.getByRole("button", { name: "Create Account" }).click();
  await expect(toast(chromium, "✅ Account Created!")).toContainText(
    "Welcome! You have been successfully signed in.",
  );
  await expect(chromium.getByLabel("Your email")).toContainText(READABLE);
  const welcome = await mailInOutbox(site.dataDir, STORED, "Welcome to The Golden Path");
  const { pathname, search } = linkIn(welcome, "/auth/confirm-email");
  await chromium.goto(`${pathname}${search}.`);
  await expect(chromium.getByRole("main")).toContainText(READABLE);
  await chromium.getByRole("button", { name: "Confirm my email" }).click();
  await expect(toast(chromium, "Email confirmed")).toBeVisible();
  await chromium.goto("/account");
  const email = chromium.getByRole("region", { name: "Email" });
  await expect(email).toContainText(`${READABLE}, confirmed`);

  // one of the most common passwords was accepted, and is replaced
  await hydrated(chromium);
  const password = chromium.getByRole("region", { name: "Password" });
  await expect(password).toContainText("Your password is easy to guess.");
  await password.getByLabel("Current password", { exact: true }).fill(PASSWORDS[0]);
  await password.getByLabel("New password", { exact: true }).fill(PASSWORDS[1]);
  await password.getByRole("button", { name: "Change password" }).click();
  await expect(toast(chromium, "Password changed")).toBeVisible();
  await expect(password).not.toContainText("easy to guess");

  // Firefox sends the domain as it was typed
  const firefox = new Visitor(site.origin);
  const taken = await post(firefox, "/auth/signup", { email: TYPED, password: PASSWORDS[1] });
  expectValue(taken.text).toContain("Sign up incomplete");
  expectValue(taken.text).toContain(`value="${TYPED}"`);
  const wrong = await post(firefox, "/auth/login", { email: `${TYPED}\u200b`, password: "wrong!" });
  expectValue(wrong.text).toContain("Invalid login credentials");
  const inside = { email: "an\u200bna@münchen.example", password: PASSWORDS[1] };
  expectValue((await post(firefox, "/auth/login", inside)).text).toContain("invisible character");
  await post(firefox, "/auth/forgot-password", { email: TYPED });
  const mail = await mailInOutbox(site.dataDir, STORED, "Choose a new password");
  const reset = linkIn(mail, "/auth/reset-password");
  const token = reset.searchParams.get("token") ?? "";
  const opened = await firefox.get(`${reset.pathname}?token=3D${token}=`);
  expectValue(opened.text).toContain(READABLE);
  expectValue(opened.text).toContain(`value="${token}"`);
  await post(firefox, reset.pathname, { token, password: PASSWORDS[2] });
  await firefox.post("/logout", { form: {} });
  const welcomed = await post(firefox, "/auth/login", { email: TYPED, password: PASSWORDS[2] });
  expectValue(welcomed.text).toContain(READABLE);
  await post(firefox, "/newsletter", { email: TYPED });
  const again = await post(new Visitor(site.origin), "/newsletter", { email: STORED });
  expectValue(again.text).toContain("This email is already subscribed.");

  const stuck = await firefox.get("/newsletter/archive%3E).");
  expectValue(stuck.headers.location).toBe("/newsletter/archive");

  // commands take any spelling
  expectValue(await command("members", "show", "ANNA@XN--MNCHEN-3YA.example")).toContain(READABLE);
  expectValue(await command("members", "list", "--match", "münchen")).toContain(READABLE);
  expectValue(await command("members", "grant", TYPED, "--until", "2099-06-30")).toContain(
    `${READABLE}: `,
  );
  expectValue((await firefox.get("/premium")).text).toContain(READABLE);
  expectValue(await command("subscribers", "list", "--match", "@münchen")).toContain(READABLE);

  expectValue(await command("members", "delete", TYPED, "--yes")).toContain(
    `${READABLE} was deleted.`,
  );
  await mailInOutbox(site.dataDir, STORED, "Your account has been deleted");
  expectValue(await command("members", "show", READABLE)).toContain("no account");
  const gone = await post(firefox, "/auth/login", { email: TYPED, password: PASSWORDS[2] });
  expectValue(gone.text).toContain("Invalid login credentials");
  // in either form, the log names nobody
  expectValue(site.output()).not.toMatch(/anna|münchen|mnchen/i);
});
