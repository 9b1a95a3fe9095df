import { log } from "~/server/log.server";
import { checkoutErrors, type ToastMessage, toasts } from "~/ui/toast-messages";
import { findProfile } from "~db/queries/profiles";
import { openPortal } from "./portal.server";

/** The portal's address for a user, or the toast that says why there is none. */
export async function answerPortal(
  userId: string,
): Promise<{ url: string } | { toast: ToastMessage }> {
  try {
    const profile = await findProfile(userId);
    if (!profile?.stripeCustomerId) {
      return { toast: failed("There is no membership to manage yet.") };
    }
    return { url: await openPortal(profile.stripeCustomerId, "/premium") };
  } catch (error) {
    log().error({ userId, err: error }, "the billing portal could not be opened");
    return { toast: failed("The payment service did not answer. Please try again.") };
  }
}

const failed = (message: string) => toasts.checkoutFailed(checkoutErrors.invoking(message));
