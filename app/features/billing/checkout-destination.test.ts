import { describe, expect, it } from "vitest";
import { checkoutDestination } from "./checkout-destination";

const answered = (body: Record<string, unknown>, status = 200) =>
  checkoutDestination({ ok: status < 300, status, body });
const checkoutError = (description: string) => ({
  toast: { title: "Checkout Error", description, variant: "destructive" },
});

describe("the browser's reading of a checkout answer", () => {
  it("goes to the payment page", () => {
    const url = "https://checkout.stripe.com/c/pay/cs_1";
    expect(answered({ sessionId: "cs_1", url })).toEqual({ url });
  });

  it("goes to a domain of the author's, which the server has from Stripe", () => {
    const url = "https://pay.book.example/c/pay/cs_1";
    expect(answered({ sessionId: "cs_1", url })).toEqual({ url });
  });

  it("goes to the portal, which comes without a session", () => {
    const url = "https://billing.stripe.com/p/session/1";
    expect(answered({ sessionId: null, url })).toEqual({ url });
  });

  it("says 'User not authenticated.' when the session has ended", () => {
    expect(answered({ error: "no" }, 401)).toEqual(checkoutError("User not authenticated."));
  });

  it("passes on what the server says went wrong", () => {
    expect(answered({ error: "No such price." }, 409)).toEqual(
      checkoutError("Error invoking function: No such price."),
    );
  });

  it("passes on why no answer came", () => {
    const offline = { ok: false, status: 0, body: { error: "Failed to fetch" } };
    expect(checkoutDestination(offline)).toEqual(
      checkoutError("Error invoking function: Failed to fetch"),
    );
  });

  it("says that the error was unexpected when nothing says why no answer came", () => {
    const wordless = { ok: false, status: 0, body: { error: "" } };
    expect(checkoutDestination(wordless)).toEqual(checkoutError("An unexpected error occurred."));
  });

  it("names the status of an answer without words", () => {
    expect(answered({}, 500)).toEqual(
      checkoutError("Error invoking function: the server answered 500"),
    );
  });

  it("misses a session", () => {
    expect(answered({})).toEqual(checkoutError("Could not retrieve a checkout session."));
  });

  it.each([
    ["no address", undefined, "The payment page has no address."],
    ["something that is no address", "cs_1", "The payment page has no address."],
    ["a script", "javascript:alert(1)", "The payment page has no address."],
  ])("does not leave for %s", (_case, url, message) => {
    expect(answered({ sessionId: "cs_1", url })).toEqual(checkoutError(`Stripe Error: ${message}`));
  });
});
