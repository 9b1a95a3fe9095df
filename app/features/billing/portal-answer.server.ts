import { log } from "~/observability/log.server";
import { checkoutErrors, type ToastMessage, toasts } from "~/toast-messages";
import { findProfile } from "~db/queries/profiles";
import { callingFor } from "./call-purpose.server";
import { refusedPaymentPage } from "./payment-pages.server";
import { openPortal } from "./portal.server";
import { PORTAL_RETURN_PATH } from "./portal-return.server";

/** Where to send the browser, or the toast that says why not, with the status it is answered with. */
type PortalAnswer = { url: string } | { status: 409 | 502; toast: ToastMessage };

/** The portal's address for a user, or the toast that says why there is none. */
export async function answerPortal(userId: string): Promise<PortalAnswer> {
  try {
    const profile = await findProfile(userId);
    if (!profile?.stripeCustomerId) {
      return { status: 409, toast: failed("There is no membership to manage yet.") };
    }
    const { stripeCustomerId } = profile;
    const url = await callingFor("membership", () =>
      openPortal(stripeCustomerId, PORTAL_RETURN_PATH),
    );
    const refused = refusedPaymentPage(url);
    if (!refused) return { url };
    log().error({ userId }, refused);
    return { status: 502, toast: failed(refused) };
  } catch (error) {
    log().error({ userId, err: error }, "the billing portal could not be opened");
    const message = "The payment service did not answer. Please try again.";
    return { status: 502, toast: failed(message) };
  }
}

const failed = (message: string) => toasts.checkoutFailed(checkoutErrors.invoking(message));
