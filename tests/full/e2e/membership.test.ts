import type { BrowserContext, Page } from "playwright";
import { beforeEach, describe, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { control } from "../../support/payments";
import { runProgram } from "../../support/program";

const site = siteForThisFile();

let context: BrowserContext;
let page: Page;

async function openPage(javaScriptEnabled = true) {
  page = await site.visit({ javaScriptEnabled });
  context = page.context();
}

beforeEach(() => openPage());

/** Signs up in the page's browser and opens the payment page; returns the session's id. */
async function reachPaymentPage(email = site.newEmail("member")): Promise<string> {
  const answer = await context.request.post("/auth/signup", {
    data: { email, password: "a long walk" },
  });
  expect(answer.status()).toBe(200);
  await page.goto("/#purchase");
  await page.getByRole("button", { name: "Upgrade to Premium" }).click();
  await page.waitForURL(`${site.sandboxOrigin}/**`);
  const id = /cs_test_\w+/.exec(page.url())?.[0];
  if (!id) throw new Error(`No session id in ${page.url()}`);
  return id;
}

const settle = () =>
  control(site.sandboxOrigin, "webhooks/settle", { timeoutMs: 15_000, retries: true });

describe("a payment that settles later", () => {
  it("is being confirmed, and the page updates by itself once it has arrived", async () => {
    const session = await reachPaymentPage();
    await control(site.sandboxOrigin, `sessions/${session}/pay`, { card: "bank_account" });
    await page.goto(`${site.origin}/checkout/success?session_id=${session}`);
    await page.getByRole("heading", { name: "We are confirming your payment" }).waitFor();
    await control(site.sandboxOrigin, `sessions/${session}/settle`);
    await page.getByRole("heading", { name: "You’re a Premium Member" }).waitFor();
  });

  it("is checked again through a link without JavaScript", async () => {
    await openPage(false);
    const session = await reachPaymentPage();
    await control(site.sandboxOrigin, `sessions/${session}/pay`, { card: "bank_account" });
    await page.goto(`${site.origin}/checkout/success?session_id=${session}`);
    await page.getByRole("heading", { name: "We are confirming your payment" }).waitFor();
    await control(site.sandboxOrigin, `sessions/${session}/settle`);
    await page.getByRole("link", { name: "Check again" }).click();
    await page.getByRole("heading", { name: "You’re a Premium Member" }).waitFor();
  });
});

describe("the operator's commands beside a running program", () => {
  it("sync one member, sync all, and check everything", async () => {
    const email = site.newEmail("member");
    const session = await reachPaymentPage(email);
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    await control(site.sandboxOrigin, `sessions/${session}/pay`);
    const command = (...parts: string[]) =>
      runProgram({ command: parts, variables: site.variables });

    const doctor = await command("stripe", "doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("differs from Stripe");

    const one = await command("stripe", "sync", "--user", email);
    expect(one.stdout).toMatch(/^subscription active, access until /);
    expect(one.code).toBe(0);
    const all = await command("stripe", "sync", "--all");
    expect(all.stdout).toMatch(/\b[1-9]\d* synced, 0 failed\n$/);

    const well = await command("stripe", "doctor");
    expect(well.stdout).not.toContain("FAIL");
    expect(well.code).toBe(0);
    await control(site.sandboxOrigin, "webhooks", { mode: "deliver" });
  });
});

describe("a program killed while processing a webhook", () => {
  it("has lost nothing after a restart", async () => {
    const session = await reachPaymentPage();
    // at the time of the kill, the webhook is waiting for Stripe
    const many = 1_000;
    await control(site.sandboxOrigin, "faults", {
      kind: "slow",
      ms: 60_000,
      times: many,
      match: "GET /v1/subscriptions",
    });
    const callsLeft = async () => {
      type State = { faults: { times: number }[] };
      const state = await control<State>(site.sandboxOrigin, "state", undefined, "GET");
      return state.faults[0]?.times;
    };
    await control(site.sandboxOrigin, `sessions/${session}/pay`);
    await expect.poll(callsLeft).toBeLessThan(many);
    await site.killAndRestart();
    await settle();
    await page.goto(`${site.origin}/premium`);
    expect(new URL(page.url()).pathname).toBe("/premium");
  });
});
