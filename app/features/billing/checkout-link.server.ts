import { env } from "~/env.server";
import { resendEmailConfirmation } from "~/features/accounts/email-confirmation.server";
import { log } from "~/observability/log.server";
import { isEmailConfirmed } from "~db/queries/users";
import { startCheckout, WRONG_PRICE } from "./checkout.server";
import { reportCheckoutRefusal } from "./checkout-refusal.server";
import { AddressNotConfirmed } from "./customer.server";
import { UnknownCustomer } from "./customer-billing.server";
import { paymentPageProblem } from "./payment-pages.server";
import { isRefusal, PaymentsNotConfigured } from "./stripe-client.server";

/** The payment page, or why there is none. */
export type CheckoutLink =
  /** A checkout, or the portal for a member, which has no session. */
  | { kind: "page"; sessionId: string | null; url: string }
  /** Stripe returned no URL, or an untrusted one; `message` says which. */
  | { kind: "no-page"; sessionId: string | null; message: string }
  | {
      kind: "wrong-price" | "unconfirmed" | "not-configured" | "refused" | "unavailable";
      message: string;
    };

/** Message for an unconfirmed address, if `REQUIRE_CONFIRMED_EMAIL` is set or a membership waits for its owner. */
const UNCONFIRMED = "Please confirm your email address first. We’ve sent you a link.";

/** Message for a checkout that Stripe refuses until the author mends something. */
const REFUSED = "This site can’t take payments right now. Nothing was charged.";

/** Starts a checkout for a user, or reuses an open one. Never throws: logs every failure. */
export async function linkToCheckout(
  user: { id: string; email: string },
  priceId: unknown,
): Promise<CheckoutLink> {
  try {
    if (env().REQUIRE_CONFIRMED_EMAIL && !(await isEmailConfirmed(user.id))) {
      await resendEmailConfirmation(user.id);
      return { kind: "unconfirmed", message: UNCONFIRMED };
    }
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
    if (error instanceof AddressNotConfirmed) {
      await resendEmailConfirmation(user.id);
      return { kind: "unconfirmed", message: UNCONFIRMED };
    }
    if (isRefusal(error) || error instanceof UnknownCustomer) {
      log().error({ userId: user.id, err: error }, "Stripe refused the checkout");
      await reportCheckoutRefusal(error.message).catch((err: unknown) =>
        log().error({ err }, "the operator's alert could not be opened"),
      );
      return { kind: "refused", message: REFUSED };
    }
    log().error({ userId: user.id, err: error }, "checkout could not be started");
    const message = "The payment service didn’t respond. Please try again.";
    return { kind: "unavailable", message };
  }
}
