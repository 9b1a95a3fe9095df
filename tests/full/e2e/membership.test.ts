import { sql } from "drizzle-orm";
import type { BrowserContext } from "playwright";
import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { siteForThisFile } from "../../support/e2e-site";
import { control } from "../../support/payments";
import { runProgram } from "../../support/program";

const site = siteForThisFile();

afterEach(() => control(site.sandboxOrigin, "webhooks/reset"));

/** Returns a new account's page, and the session of its open checkout. */
async function beginCheckout(javaScriptEnabled = true) {
  const page = await site.visit({ javaScriptEnabled });
  const context = page.context();
  const { email } = await site.signUp(context);
  const { priceId } = SANDBOX_STRIPE;
  const { sessionId } = await site.post(context, "/checkout", { priceId });
  return { page, context, email, session: String(sessionId) };
}

async function isMember(context: BrowserContext): Promise<boolean> {
  const answer = await context.request.get("/premium", { maxRedirects: 0 });
  return answer.status() === 200;
}

describe("a payment that settles later", () => {
  it("is being confirmed, and the page updates on its own once the payment arrives", async () => {
    const { page, session } = await beginCheckout();
    await control(site.sandboxOrigin, `sessions/${session}/pay`, { card: "bank_account" });
    await page.goto(`${site.origin}/checkout/success?session_id=${session}`);
    await page.getByRole("heading", { name: "We’re confirming your payment" }).waitFor();
    await control(site.sandboxOrigin, `sessions/${session}/settle`);
    await page.getByRole("heading", { name: "You’re a premium member" }).waitFor();
  });

  it("can be checked again through a link without JavaScript", async () => {
    const { page, session } = await beginCheckout(false);
    await control(site.sandboxOrigin, `sessions/${session}/pay`, { card: "bank_account" });
    await page.goto(`${site.origin}/checkout/success?session_id=${session}`);
    await page.getByRole("heading", { name: "We’re confirming your payment" }).waitFor();
    await control(site.sandboxOrigin, `sessions/${session}/settle`);
    await page.getByRole("link", { name: "Check again" }).click();
    await page.getByRole("heading", { name: "You’re a premium member" }).waitFor();
  });
});

it("a buyer whose address Stripe rejects is asked for another at the checkout, and gets access", async () => {
  const page = await site.visit();
  const credentials = { email: "reader@localhost", password: "a long walk" };
  await site.post(page.context(), "/auth/signup", credentials);
  await site.open("/#purchase", page);
  await page.getByRole("button", { name: "Upgrade to Premium" }).click();
  await page.waitForURL(`${site.sandboxOrigin}/**`);
  await page.getByLabel("Email").fill("reader@example.test");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.waitForURL("**/checkout/success?*");
  await page.getByRole("heading", { name: "You’re a premium member" }).waitFor();
  expect(await isMember(page.context())).toBe(true);
});

describe("the operator's commands beside a running program", () => {
  const command = (...parts: string[]) =>
    runProgram({ command: ["stripe", ...parts], variables: site.variables });

  it("sync one member, sync all, and check everything", async () => {
    const { email, session } = await beginCheckout();
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    await control(site.sandboxOrigin, `sessions/${session}/pay`);
    const doctor = await command("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("differs from Stripe");

    const one = await command("sync", "--user", email);
    expect(one.stdout).toMatch(/^subscription active, access until /);
    expect(one.code).toBe(0);
    const all = await command("sync", "--all");
    expect(all.stdout).toMatch(/\b[1-9]\d* synced, 0 failed\n$/);
    const well = await command("doctor");
    expect(well.stdout).not.toContain("FAIL");
    expect(well.code).toBe(0);
  });

  it("restore memberships that a restored backup has lost, with --from-stripe", async () => {
    const context = (await site.visit()).context();
    const { subscription } = await site.subscribe(context);
    await site.database.db.execute(
      sql`update profiles set stripe_customer_id = null, stripe_price_id = null,
        stripe_current_period_end = null, stripe_subscription_id = null, sync_number = 0`,
    );
    expect(await isMember(context)).toBe(false);
    const doctor = await command("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("stripe sync --from-stripe");
    const { code, stdout } = await command("sync", "--from-stripe");
    expect(stdout).toContain(`: ${subscription}`);
    expect(code).toBe(0);
    expect(await isMember(context)).toBe(true);
  });

  it("unlink customers of another account or mode only with --unlink-unknown", async () => {
    const context = (await site.visit()).context();
    const { subscription } = await site.subscribe(context);
    const [row] = await site.database.db.execute<{ customer: string }>(
      sql`select stripe_customer_id as customer from profiles where stripe_subscription_id = ${subscription}`,
    );
    await site.sandbox(`customers/${row?.customer}/forget`);
    const warned = await command("sync", "--all");
    expect(warned.stdout).toMatch(/1 of the rows name a customer .* left as they are/);
    expect(await isMember(context)).toBe(true);
    const unlinked = await command("sync", "--all", "--unlink-unknown");
    expect(unlinked.stdout).toMatch(/they have been unlinked/);
    expect(await isMember(context)).toBe(false);
  });
});

describe("a program that is killed", () => {
  it("while processing a webhook loses nothing", async () => {
    const { context, session } = await beginCheckout();
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
    await control(site.sandboxOrigin, "webhooks/settle", { timeoutMs: 15_000, retries: true });
    expect(await isMember(context)).toBe(true);
  });

  it("before a payment whose webhooks are all lost gives access by its timer, and finishes pending deletions", async () => {
    const { context, session } = await beginCheckout();
    const leaving = await site.newAccount();
    await site.database.db.execute(
      sql`insert into account_deletions (user_id, started_at)
        select id, now() - interval '11 minutes' from users where email = ${leaving.email}`,
    );
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    await control(site.sandboxOrigin, `sessions/${session}/pay`);
    expect(await isMember(context)).toBe(false);
    await site.killAndRestart();
    await expect.poll(() => isMember(context)).toBe(true);
    const deletions = () => site.database.db.execute(sql`select from account_deletions`);
    await expect.poll(deletions, { timeout: 60_000 }).toHaveLength(0);
  });
});
