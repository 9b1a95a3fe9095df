import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { withCallPurpose } from "./call-purpose.server";
import { customerState } from "./customer-billing.server";
import { recordPendingDebits } from "./debits-after-deletion.server";
import { stripeClient } from "./stripe-client.server";

/** The outcome of deleting a customer at Stripe. */
export type CustomerDeletionOutcome =
  /** The customer and all its subscriptions are deleted, now or earlier. */
  | { kind: "deleted" }
  /** Nothing was changed, and nothing will be. */
  | { kind: "refused" }
  /** Apparently not deleted, but a request may still take effect. */
  | { kind: "in-doubt" };

/**
 * Deletes a customer at Stripe, which ends all its subscriptions at once: nothing more is charged, and no open
 * checkout can be paid (https://docs.stripe.com/api/customers/delete). A bank debit on its way is not stopped; it is
 * recorded before. Stripe keeps its payments and invoices. Never throws.
 */
export function deleteCustomer(stripeCustomerId: string): Promise<CustomerDeletionOutcome> {
  return withCallPurpose("membership", async (): Promise<CustomerDeletionOutcome> => {
    try {
      const state = await customerState(stripeCustomerId);
      if (state === "deleted") return { kind: "deleted" };
      if (state === "unknown") {
        log().error(
          { stripeCustomerId },
          "Stripe does not know this customer: is STRIPE_SECRET_KEY that of the account and mode it was made in?",
        );
        return { kind: "refused" };
      }
      await recordPendingDebits(stripeCustomerId);
    } catch (error) {
      log().error(
        { err: error, stripeCustomerId },
        "Stripe did not say what a customer's state is",
      );
      return { kind: "refused" };
    }
    try {
      await stripeClient().customers.del(stripeCustomerId);
      return { kind: "deleted" };
    } catch (error) {
      return afterFailure(stripeCustomerId, error);
    }
  });
}

/** Finds out the outcome after a failure. Without a conclusive response, the deletion may still take effect. */
async function afterFailure(
  stripeCustomerId: string,
  error: unknown,
): Promise<CustomerDeletionOutcome> {
  log().error({ err: error, stripeCustomerId }, "a customer could not be deleted at Stripe");
  const state = await customerState(stripeCustomerId).catch(() => null);
  if (state === "deleted") return { kind: "deleted" };
  const { StripeConnectionError, StripeAPIError } = Stripe.errors;
  const isAnswer =
    error instanceof Stripe.errors.StripeError &&
    !(error instanceof StripeConnectionError || error instanceof StripeAPIError);
  return { kind: isAnswer && state !== null ? "refused" : "in-doubt" };
}
