import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const { priceId } = SANDBOX_STRIPE;

/** Starts the site with its Stripe at a port of this machine. */
function startSite(stripePort: number): Promise<ProgramSite> {
  return startProgramSite({
    PAYMENTS: "stripe",
    STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
    STRIPE_PRICE_ID: priceId,
    STRIPE_WEBHOOK_SECRET: SANDBOX_STRIPE.webhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${stripePort}`,
    // the local Stripe's published secret is accepted on loopback only
    HOST: "localhost",
  });
}

describe("while Stripe does not answer", () => {
  let site: ProgramSite;
  let asked = 0;
  /** Accepts every connection and never responds. */
  const silent = createServer((socket) => {
    asked += 1;
    socket.on("error", () => {});
  });

  beforeAll(async () => {
    const port = await freePorts(1);
    await new Promise<void>((done) => silent.listen(port, "127.0.0.1", done));
    site = await startSite(port);
  });
  afterAll(async () => {
    // otherwise closing would wait for the pending checkouts
    await site?.program.stop("SIGKILL");
    silent.close();
    await site?.close();
  });

  it("all other pages stay up, signed in or not, however many checkouts are pending", async () => {
    const buyers = Array.from({ length: 15 }, () => site.visitor());
    await Promise.all(buyers.map((buyer, i) => buyer.signUp(`buyer-${i}@example.test`)));
    const checkouts = new AbortController();
    for (const { cookie } of buyers) {
      void fetch(`${site.origin}/checkout`, {
        method: "POST",
        headers: { Cookie: cookie, "Content-Type": "application/json" },
        body: JSON.stringify({ priceId }),
        signal: checkouts.signal,
      }).catch(() => {});
    }
    await expect.poll(() => asked).toBeGreaterThanOrEqual(4);

    for (const [i, buyer] of buyers.slice(0, 5).entries()) {
      const page = await buyer.get("/");
      expect(page.text).toContain(`buyer-${i}@example.test`);
    }
    for (const path of ["/", "/auth", "/auth/forgot-password", "/readyz"]) {
      expect((await send(site.origin + path)).status).toBe(200);
    }
    const json = { email: "still@example.test" };
    expect((await site.visitor().post("/newsletter", { json })).status).toBe(200);
    checkouts.abort();
  });
});

describe("while Stripe refuses connections", () => {
  let site: ProgramSite;
  beforeAll(async () => {
    site = await startSite(await freePorts(1));
  });
  afterAll(() => site?.close());

  it("a checkout fails with its toast, with and without JavaScript, and all other pages stay up", async () => {
    const visitor = site.visitor();
    await visitor.signUp("buyer@example.test");
    const json = await visitor.post("/checkout", { json: { priceId } });
    expect(json.status).toBe(502);
    expect(JSON.parse(json.text)).toEqual({
      error: "The payment service didn’t respond. Please try again.",
    });
    const form = await visitor.post("/checkout", { form: { priceId } });
    expect(form.headers.location).toBe("/#purchase");
    const page = await visitor.get("/");
    expect(page.text).toContain("Checkout Error");
    expect(page.text).toContain("Error invoking function: The payment service didn’t respond.");
    for (const path of ["/", "/auth", "/auth/forgot-password", "/readyz"]) {
      expect((await send(site.origin + path)).status).toBe(200);
    }
  });

  it("a buyer who returns from the payment sees that it is being confirmed, not an error", async () => {
    const visitor = site.visitor();
    await visitor.signUp("paid@example.test");
    const page = await visitor.get("/checkout/success?session_id=cs_test_paid");
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/confirming your payment/i);
  });
});
