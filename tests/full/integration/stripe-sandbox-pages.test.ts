import { get } from "node:http";
import { describe, expect, test } from "vitest";
import {
  openCheckout,
  openSandbox,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

type Page = { status: number; location: string | null; text: string };

/** Requests a page of the sandbox, by its path or by its URL. */
async function visit(sandbox: TestSandbox, address: string, form?: object): Promise<Page> {
  const path = address.replace(/^http:\/\/localhost:\d+/, "");
  const response = await fetch(`${sandbox.origin}${path}`, {
    redirect: "manual",
    ...(form && { method: "POST", body: new URLSearchParams(Object.entries(form)) }),
  });
  return {
    status: response.status,
    location: response.headers.get("location"),
    text: await response.text(),
  };
}

const CARD = { payment: "card", number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

describe("the hosted checkout page", () => {
  test("says what is sold to whom and that it is a stand-in, with a valid card filled in", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    const page = await visit(sandbox, session.url ?? "");
    expect(page.status).toBe(200);
    for (const part of [
      "The Golden Path Premium",
      "$9.99",
      "per month",
      "reader@example.com",
      "Local test stand-in for Stripe.",
      "No money moves here",
      'value="4242 4242 4242 4242"',
      ">Subscribe</button>",
      'href="http://localhost:3000/checkout/cancelled">Cancel</a>',
    ]) {
      expect(page.text).toContain(part);
    }
    expect(page.text).not.toContain("<script");
  });

  test("has a promotion code field and a terms checkbox if the session asks for them", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const plain = await visit(sandbox, (await openCheckout(sandbox)).url ?? "");
    expect(plain.text).not.toMatch(/promotion_code|name="terms"/);
    const { id } = await stripe.customers.create({ email: "a@example.com" });
    const session = await openCheckout(sandbox, id, {
      allow_promotion_codes: true,
      consent_collection: { terms_of_service: "required" },
    });
    const page = await visit(sandbox, session.url ?? "");
    expect(page.text).toMatch(/<input type="checkbox" name="terms"[^>]* required>/);
    const address = session.url ?? "";
    expect((await visit(sandbox, address, CARD)).text).toContain("Accept the terms of service");
    const coded = await visit(sandbox, address, {
      ...CARD,
      terms: "accepted",
      promotion_code: "X",
    });
    expect(coded.text).toContain("This promotion code is invalid.");
    expect((await visit(sandbox, address, { ...CARD, terms: "accepted" })).status).toBe(303);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      allow_promotion_codes: true,
      consent: { terms_of_service: "accepted" },
      consent_collection: { terms_of_service: "required" },
    });
  });

  test("is at the account's custom domain, like the portal, once it has one", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const customDomain = `http://pay.localhost:${sandbox.port}`;
    await sandbox.control("settings", { customDomain });
    const session = await openCheckout(sandbox);
    const portal = await stripe.billingPortal.sessions.create({
      customer: String(session.customer),
    });
    expect(new URL(session.url ?? "").origin).toBe(customDomain);
    expect(new URL(portal.url).origin).toBe(customDomain);
    const page = await new Promise<number | undefined>((resolve, reject) => {
      get(
        `${sandbox.origin}${new URL(session.url ?? "").pathname}`,
        { headers: { Host: new URL(customDomain).host } },
        ({ statusCode }) => resolve(statusCode),
      ).on("error", reject);
    });
    expect(page).toBe(200);
    await sandbox.control("settings", { customDomain: "" });
    const usual = await openCheckout(sandbox);
    expect(new URL(usual.url ?? "").origin).toBe(`http://localhost:${sandbox.port}`);
  });

  test("asks a customer without an e-mail address for one, and stores it", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { id } = await stripe.customers.create({});
    const session = await openCheckout(sandbox, id);
    const page = await visit(sandbox, session.url ?? "");
    expect(page.text).toMatch(/<input type="email"[^>]* required>/);
    for (const email of ["", "reader@localhost"]) {
      const again = await visit(sandbox, session.url ?? "", { ...CARD, email });
      expect(again.text).toContain("Your email is incomplete.");
    }
    const paid = await visit(sandbox, session.url ?? "", { ...CARD, email: "a@example.com" });
    expect(paid.status).toBe(303);
    expect(await stripe.customers.retrieve(id)).toMatchObject({ email: "a@example.com" });
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      customer_details: { email: "a@example.com" },
    });
  });

  test("redirects to the success URL after a payment, which starts the subscription", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const session = await openCheckout(sandbox);
    expect((await stripe.subscriptions.list({ customer: String(session.customer) })).data).toEqual(
      [],
    );
    const paid = await visit(sandbox, session.url ?? "", CARD);
    expect(paid).toMatchObject({
      status: 303,
      location: `http://localhost:3000/checkout/success?session_id=${session.id}`,
    });
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription"] });
    expect(done).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      subscription: { status: "active", customer: session.customer },
      customer_details: { email: "reader@example.com" },
    });
  });

  test("shows the reason for a declined card, and accepts another one", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    const declined = await visit(sandbox, session.url ?? "", { payment: "4000000000000002" });
    expect(declined.status).toBe(200);
    expect(declined.text).toContain('role="alert" id="problem">Your card was declined.</p>');
    const typed = await visit(sandbox, session.url ?? "", { ...CARD, number: "4000000000009995" });
    expect(typed.text).toContain("Your card has insufficient funds.");
    const { stripe } = sandbox;
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
    expect((await stripe.events.list({ type: "payment_method.attached" })).data).toEqual([]);
    expect((await visit(sandbox, session.url ?? "", CARD)).status).toBe(303);
    const charges = await stripe.charges.list({ customer: String(session.customer) });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed"]);
  });

  test("names invalid entries, and rejects a card that is not a test card", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    const problem = async (entry: object) => {
      const { text } = await visit(sandbox, session.url ?? "", { ...CARD, ...entry });
      return /id="problem">([^<]*)</.exec(text)?.[1]?.replaceAll("&#39;", "'");
    };
    expect(await problem({ number: "" })).toBe("Your card number is incomplete.");
    expect(await problem({ number: "4242 4242 4242 4241" })).toBe("Your card number is invalid.");
    expect(await problem({ expiry: "13 / 34" })).toBe("Your card's expiration date is incomplete.");
    expect(await problem({ expiry: "01 / 20" })).toBe(
      "Your card's expiration date is in the past.",
    );
    expect(await problem({ cvc: "1" })).toBe("Your card's security code is incomplete.");
    expect(await problem({ payment: "gold" })).toBe("Choose what to pay with.");
    expect(await problem({ number: "4111111111111111" })).toMatch(/^Your card was declined\. This/);
    const { text } = await visit(sandbox, session.url ?? "", {
      ...CARD,
      number: "4111111111111111",
    });
    expect(text).not.toContain("4111");
    expect((await sandbox.stripe.subscriptions.list()).data).toEqual([]);
  });

  test("has a separate page for 3-D Secure, which can fail and can be completed", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    const asked = await visit(sandbox, session.url ?? "", { payment: "4000002500003155" });
    expect(asked.location).toBe(`/c/pay/${session.id}/authenticate`);
    const challenge = await visit(sandbox, asked.location ?? "");
    expect(challenge.text).toContain(">Complete authentication</button>");
    expect(challenge.text).toContain(">Fail authentication</button>");
    const failed = await visit(sandbox, asked.location ?? "", { answer: "fail" });
    expect(failed.text).toContain("We are unable to authenticate your payment method.");
    expect((await sandbox.stripe.subscriptions.list()).data).toEqual([]);
    await visit(sandbox, session.url ?? "", { payment: "4000002500003155" });
    const passed = await visit(sandbox, asked.location ?? "", { answer: "complete" });
    expect(passed.location).toContain(`session_id=${session.id}`);
    const [subscription] = (await sandbox.stripe.subscriptions.list()).data;
    expect(subscription?.status).toBe("active");
  });

  test("completes the session unpaid for a bank account", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    const { location } = await visit(sandbox, session.url ?? "", { payment: "bank_account" });
    expect(location).toContain(`session_id=${session.id}`);
    expect(
      await sandbox.stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription"] }),
    ).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
      subscription: { status: "incomplete" },
    });
  });

  test("of a completed session says so and accepts no second payment", async () => {
    const sandbox = await openSandbox();
    const paid = await openCheckout(sandbox);
    const address = paid.url ?? "";
    await visit(sandbox, address, CARD);
    expect((await visit(sandbox, address)).text).toContain("You&#39;re all done here");
    expect((await visit(sandbox, address, CARD)).text).toContain("You&#39;re all done here");
    expect((await sandbox.stripe.subscriptions.list()).data).toHaveLength(1);
    const expired = await openCheckout(sandbox);
    await sandbox.stripe.checkout.sessions.expire(expired.id);
    expect((await visit(sandbox, expired.url ?? "")).text).toContain("This page has expired");
    expect((await visit(sandbox, "/c/pay/cs_test_none")).status).toBe(404);
  });

  test("of a session without a customer asks for an e-mail address and creates one", async () => {
    const sandbox = await openSandbox();
    const session = await sandbox.stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: "price_premiumMonthly", quantity: 1 }],
      success_url: "https://example.com/done",
    });
    const page = await visit(sandbox, session.url ?? "");
    expect(page.text).toContain('<label for="email">E-mail</label>');
    expect(page.text).not.toContain(">Cancel</a>");
    expect((await visit(sandbox, session.url ?? "", CARD)).text).toContain(
      "Your email is incomplete.",
    );
    await visit(sandbox, session.url ?? "", { ...CARD, email: "new@example.com" });
    const found = await sandbox.stripe.customers.list({ email: "new@example.com" });
    expect(found.data).toHaveLength(1);
  });

  test("escapes what an API client has put into it", async () => {
    const sandbox = await openSandbox();
    await sandbox.stripe.products.update("prod_premium", { name: "<b onclick='x()'>&\"" });
    const session = await openCheckout(sandbox);
    const { text } = await visit(sandbox, session.url ?? "");
    expect(text).toContain("&#60;b onclick=&#39;x()&#39;&#62;&#38;&#34;");
    expect(text).not.toContain("<b onclick");
  });
});

describe("the customer portal", () => {
  async function openPortal(sandbox: TestSandbox, customer: string, more = {}): Promise<string> {
    const session = await sandbox.stripe.billingPortal.sessions.create({
      customer,
      return_url: "http://localhost:3000/premium",
      ...more,
    });
    return session.url;
  }

  test("cancels at the period's end after a confirmation, and resumes", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const address = await openPortal(sandbox, customer);
    const home = await visit(sandbox, address);
    expect(home.text).toContain(
      '<a href="http://localhost:3000/premium">Return to The Golden Path',
    );
    expect(home.text).toContain("Your subscription renews on");
    const link = /href="([^"]+)">Cancel subscription</.exec(home.text)?.[1] ?? "";
    const confirmation = await visit(sandbox, link);
    expect(confirmation.text).toContain("Cancel your subscription");
    expect((await stripe.subscriptions.retrieve(subscription.id)).cancel_at).toBeNull();
    const cancelled = await visit(sandbox, link, {});
    expect(cancelled.status).toBe(303);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
    });
    const after = await visit(sandbox, cancelled.location ?? "");
    expect(after.text).toContain("Your subscription will be cancelled on");
    const form = /action="([^"]+)"><button type="submit">Resume subscription/.exec(after.text)?.[1];
    await visit(sandbox, form ?? "", {});
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      cancel_at: null,
      cancel_at_period_end: false,
    });
  });

  test("changes the customer's card, not the subscription's own, and pays nothing that is owed", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("past_due");
    const address = await openPortal(sandbox, customer);
    expect((await visit(sandbox, address)).text).toContain("Your last payment failed.");
    const card = await visit(sandbox, `${address}/card`);
    expect(card.text).toContain("You owe $9.99.");
    const declined = await visit(sandbox, `${address}/card`, { payment: "4000000000000002" });
    expect(declined.text).toContain("Your card was declined.");
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("past_due");
    const asked = await visit(sandbox, `${address}/card`, { payment: "4000002500003155" });
    await visit(sandbox, asked.location ?? "", { answer: "complete" });
    expect(
      await stripe.customers.retrieve(customer, {
        expand: ["invoice_settings.default_payment_method"],
      }),
    ).toMatchObject({
      invoice_settings: { default_payment_method: { card: { last4: "3155" } } },
    });
    const owing = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["latest_invoice", "default_payment_method"],
    });
    expect(owing).toMatchObject({
      status: "past_due",
      latest_invoice: { status: "open" },
      default_payment_method: { card: { last4: "0341" } },
    });
    // the next retry uses the subscription's own card again
    await sandbox.control("clock", { days: 1.1 });
    const { latest_invoice } = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["latest_invoice"],
    });
    expect(latest_invoice).toMatchObject({ status: "open", attempt_count: 2 });
    await stripe.subscriptions.update(subscription.id, { default_payment_method: "" });
    await sandbox.control("clock", { days: 2.1 });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
  });

  test("links to the page of an invoice, where only that one is paid", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    const home = await visit(sandbox, `${await openPortal(sandbox, customer)}/home`);
    const [, invoice = ""] = /href="(\/i\/[^"]+)">SANDBOX-0002/.exec(home.text) ?? [];
    await visit(sandbox, invoice, CARD);
    expect(
      await stripe.subscriptions.retrieve(subscription.id, {
        expand: ["latest_invoice", "default_payment_method"],
      }),
    ).toMatchObject({
      status: "active",
      latest_invoice: { status: "paid" },
      default_payment_method: { card: { last4: "0341" } },
    });
  });

  test("returns from the card page if it was opened by a deep link", async () => {
    const sandbox = await openSandbox();
    const { customer } = await subscribe(sandbox);
    const address = await openPortal(sandbox, customer, {
      flow_data: {
        type: "payment_method_update",
        after_completion: {
          type: "redirect",
          redirect: { return_url: "http://localhost:3000/premium?card=new" },
        },
      },
    });
    const start = await visit(sandbox, address);
    expect(start.location).toMatch(/\/card$/);
    const done = await visit(sandbox, start.location ?? "", CARD);
    expect(done.location).toBe("http://localhost:3000/premium?card=new");
  });

  test("has only what the configuration offers", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const bare = await stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
    });
    const address = await openPortal(sandbox, customer, { configuration: bare.id });
    const { text } = await visit(sandbox, address);
    expect(text).not.toContain("Cancel subscription");
    expect(text).not.toContain("Update card");
    await visit(sandbox, `${address}/cancel/${subscription.id}`, {});
    expect((await stripe.subscriptions.retrieve(subscription.id)).cancel_at).toBeNull();
  });

  test("opens only with its own key, for an hour, and only for the customer's own subscriptions", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer } = await subscribe(sandbox);
    const other = await subscribe(sandbox);
    const address = await openPortal(sandbox, customer);
    await visit(sandbox, `${address}/cancel/${other.subscription.id}`, {});
    expect((await stripe.subscriptions.retrieve(other.subscription.id)).cancel_at).toBeNull();
    expect((await visit(sandbox, "/p/session/test_guess")).status).toBe(404);
    await sandbox.control("clock", { seconds: 3_700 });
    expect((await visit(sandbox, address)).text).toContain("This page has expired");
  });
});

describe("an invoice's page", () => {
  test("shows what was paid, and lets an open one be paid", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const renewal = await sandbox.control<{ invoice: { hosted_invoice_url: string } }>(
      `subscriptions/${subscription.id}/renew`,
      { outcome: "authentication" },
    );
    const address = renewal.invoice.hosted_invoice_url;
    expect((await visit(sandbox, address)).text).toContain(">Pay $9.99</button>");
    const asked = await visit(sandbox, address, { payment: "4000002500003155" });
    await visit(sandbox, asked.location ?? "", { answer: "complete" });
    const paid = await visit(sandbox, address);
    expect(paid.text).toContain("<strong>paid</strong>");
    expect(paid.text).not.toContain("<form");
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
  });
});

describe("the control page", () => {
  test("lists what exists and triggers events through plain forms", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const page = await visit(sandbox, "/");
    for (const part of [subscription.id, "Fail renewal", "Move the clock on", "invoice.paid"]) {
      expect(page.text).toContain(part);
    }
    const failed = await visit(sandbox, `/_control/subscriptions/${subscription.id}/renew`, {
      outcome: "declined",
    });
    expect(failed).toMatchObject({ status: 303, location: "/control" });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("past_due");
    const after = await visit(sandbox, "/control");
    expect(after.text).toContain(`Done: subscriptions/${subscription.id}/renew`);
    expect((await visit(sandbox, "/control")).text).not.toContain("Done: subscriptions");
    await visit(sandbox, "/_control/subscriptions/sub_none/renew", {});
    expect((await visit(sandbox, "/control")).text).toContain("There is no subscription sub_none.");
  });

  test("rejects forms from other sites", async () => {
    const sandbox = await openSandbox();
    const { customer } = await subscribe(sandbox);
    for (const [name, value] of [
      ["Origin", "https://evil.example"],
      ["Origin", "null"],
      ["Sec-Fetch-Site", "cross-site"],
    ] as const) {
      const response = await fetch(`${sandbox.origin}/_control/customers/${customer}/delete`, {
        method: "POST",
        headers: { [name]: value, "Content-Type": "application/x-www-form-urlencoded" },
      });
      expect(response.status).toBe(403);
    }
    expect(await sandbox.stripe.customers.retrieve(customer)).not.toHaveProperty("deleted");
  });

  test("rejects malformed forms without harm", async () => {
    const sandbox = await openSandbox();
    const post = (path: string, body: string) =>
      fetch(`${sandbox.origin}${path}`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json" },
      });
    expect((await post("/_control/clock", "{")).status).toBe(400);
    expect((await post("/_control/clock", "7")).status).toBe(400);
    expect((await post("/_control/clock", '{"days":-1}')).status).toBe(400);
    expect((await post("/_control/nothing", "{}")).status).toBe(404);
    expect((await post("/_control/state", "{}")).status).toBe(405);
    expect((await fetch(`${sandbox.origin}/nowhere`)).status).toBe(404);
    expect((await fetch(`${sandbox.origin}/control`, { method: "DELETE" })).status).toBe(405);
    expect((await fetch(`${sandbox.origin}/_control/state`)).status).toBe(200);
  });
});
