import { log } from "~/observability/log.server";
import { startCheckout, WRONG_PRICE } from "./checkout.server";
import { paymentPageProblem } from "./payment-pages.server";
import { PaymentsNotConfigured } from "./stripe-client.server";

/** The page on which a user pays, or why there is none. */
export type CheckoutLink =
  /** A checkout or, for a member, the portal, which has no session. */
  | { kind: "page"; sessionId: string | null; url: string }
  /** Stripe returned no URL, or an untrusted one; `message` says which. */
  | { kind: "no-page"; sessionId: string | null; message: string }
  | { kind: "wrong-price" | "not-configured" | "unavailable"; message: string };

/** Starts a checkout for a user, or reuses an open one. Never throws: every failure is logged here. */
export async function linkToCheckout(
  user: { id: string; email: string },
  priceId: unknown,
): Promise<CheckoutLink> {
  try {
    const outcome = await startCheckout(user, priceId);
    if (outcome.kind === "wrong-price") return { kind: "wrong-price", message: WRONG_PRICE };
    const sessionId = outcome.kind === "checkout" ? outcome.sessionId : null;
    const { url } = outcome;
    const problem = paymentPageProblem(url);
    if (url && !problem) return { kind: "page", sessionId, url };
    log().error(
      { userId: user.id, outcome: outcome.kind },
      problem ?? "Stripe returned no address",
    );
    return { kind: "no-page", sessionId, message: problem ?? "The payment page has no address." };
  } catch (error) {
    if (error instanceof PaymentsNotConfigured) {
      log().error(
        "checkout was requested, but the Stripe variables are not set: see 'stripe setup'",
      );
      return { kind: "not-configured", message: error.message };
    }
    log().error({ userId: user.id, err: error }, "checkout could not be started");
    const message = "The payment service did not answer. Please try again.";
    return { kind: "unavailable", message };
  }
}
