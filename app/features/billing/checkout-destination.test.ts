import { describe, expect, it } from "vitest";
import { authenticationRequired } from "~/toast-messages";
import { checkoutDestination } from "./checkout-destination";

const destinationOf = (body: Record<string, unknown>, status = 200) =>
  checkoutDestination({ ok: status < 300, status, body });
const checkoutError = (description: string) => ({
  toast: { title: "Checkout Error", description, variant: "destructive" },
});

describe("checkoutDestination", () => {
  it("goes to the payment page", () => {
    const url = "https://checkout.stripe.com/c/pay/cs_1";
    expect(destinationOf({ sessionId: "cs_1", url })).toEqual({ url });
  });

  it("goes to the author's custom domain", () => {
    const url = "https://pay.book.example/c/pay/cs_1";
    expect(destinationOf({ sessionId: "cs_1", url })).toEqual({ url });
  });

  it("goes to a local Stripe's page, without TLS", () => {
    const url = "http://localhost:12111/pay/cs_1";
    expect(destinationOf({ sessionId: "cs_1", url })).toEqual({ url });
  });

  it("says 'User not authenticated.' when the session has ended, with links that come back", () => {
    const { toast } = checkoutError("User not authenticated.");
    const { links } = authenticationRequired;
    expect(destinationOf({ error: "no" }, 401)).toEqual({ toast: { ...toast, links } });
  });

  it("shows the server's error message", () => {
    expect(destinationOf({ error: "No such price." }, 409)).toEqual(
      checkoutError("Error invoking function: No such price."),
    );
  });

  it("shows why the request failed", () => {
    const offline = { ok: false, status: 0, body: { error: "Failed to fetch" } };
    expect(checkoutDestination(offline)).toEqual(
      checkoutError("Error invoking function: Failed to fetch"),
    );
  });

  it("reports an unexpected error when a failed request gives no reason", () => {
    const silent = { ok: false, status: 0, body: { error: "" } };
    expect(checkoutDestination(silent)).toEqual(checkoutError("An unexpected error occurred."));
  });

  it("shows the status if the response has no message", () => {
    expect(destinationOf({}, 500)).toEqual(
      checkoutError("Error invoking function: the server answered 500"),
    );
    expect(destinationOf({ error: { code: 7 } }, 500)).toEqual(
      checkoutError("Error invoking function: the server answered 500"),
    );
  });

  it("reports a missing session", () => {
    expect(destinationOf({})).toEqual(checkoutError("Could not retrieve a checkout session."));
  });

  it.each([
    ["no address", undefined, "The payment page has no address."],
    ["a script", "javascript:alert(1)", "The payment page has no address."],
  ])("does not navigate to %s", (_case, url, message) => {
    expect(destinationOf({ sessionId: "cs_1", url })).toEqual(
      checkoutError(`Stripe Error: ${message}`),
    );
  });
});
