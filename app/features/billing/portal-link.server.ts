import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { withCallPurpose } from "./call-purpose.server";
import { paymentPageProblem } from "./payment-pages.server";
import { openPortal, type PortalPage } from "./portal.server";
import { PORTAL_RETURN_PATH } from "./portal-return.server";
import { isRefusal } from "./stripe-client.server";

/** The portal page, or why there is none. */
export type PortalLink =
  | { kind: "page"; url: string }
  | { kind: "no-customer" | "no-page" | "unavailable"; message: string };

/**
 * Returns the URL of a portal page for a user: the overview instead of the question whether to cancel a membership
 * that is already canceled. Never throws: logs every failure.
 */
export async function linkToPortal(
  userId: string,
  wanted: "overview" | "card" | "cancel",
): Promise<PortalLink> {
  try {
    const profile = await findProfile(userId);
    if (!profile?.stripeCustomerId) {
      return { kind: "no-customer", message: "You don’t have a membership to manage yet." };
    }
    const { stripeCustomerId, stripeSubscriptionId, stripeCancelAtPeriodEnd } = profile;
    const cancel = stripeCancelAtPeriodEnd ? null : stripeSubscriptionId;
    const page: PortalPage = wanted === "cancel" ? (cancel ? { cancel } : "overview") : wanted;
    const url = await withCallPurpose("membership", () =>
      openPortal(stripeCustomerId, page, PORTAL_RETURN_PATH),
    );
    const problem = paymentPageProblem(url);
    if (!problem) return { kind: "page", url };
    log().error({ userId }, problem);
    return { kind: "no-page", message: problem };
  } catch (error) {
    log().error({ userId, err: error }, "the billing portal could not be opened");
    const message = isRefusal(error)
      ? "The payment service refused to open this page. Please write to us so we can fix it."
      : "The payment service didn’t respond. Please try again.";
    return { kind: "unavailable", message };
  }
}
