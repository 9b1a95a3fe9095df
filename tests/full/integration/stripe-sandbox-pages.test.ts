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
});
