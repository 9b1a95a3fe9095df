import { type AppLoadContext, data } from "@remix-run/node";
import { env } from "~/env.server";
import { hasSessionCookie, renewSession } from "~/features/accounts/sessions.server";
import type { Viewer } from "~/features/accounts/viewer";
import { findSession, findViewer } from "~/features/accounts/viewer.server";
import { type PaymentSettings, paymentSettings } from "~/features/billing/payment-settings.server";
import { shownPriceOnSale } from "~/features/billing/price-on-sale.server";
import type { ShownPrice } from "~/features/membership/premium-price";
import { clearFlash, readFlash } from "~/http/flash.server";
import { log } from "~/observability/log.server";
import type { ToastMessage } from "~/toast-messages";

/** What every page knows: who is looking, and the toast that waits for them. */
export type RootData = {
  viewer: Viewer | null;
  /** The flashed toast, with an id that differs for each one flashed. */
  toast: (ToastMessage & { id: string }) | null;
  /** Values a failed form left behind for its page (never a password). */
  form: { email: string } | null;
  publicUrl: string;
  payments: PaymentSettings | null;
  /** What premium costs whoever buys it now; null where no amount can be named. */
  premiumPrice: ShownPrice | null;
};

/** The root loader's work: the viewer, the flash (shown once, so cleared here), the payment settings. */
export async function loadRoot(args: { request: Request; context: AppLoadContext }) {
  const { request } = args;
  const [viewer, flash] = await Promise.all([findViewer(args), readFlash(request)]);
  const root: RootData = {
    viewer,
    toast: flash && { ...flash.toast, id: flash.id },
    form: flash?.email ? { email: flash.email } : null,
    publicUrl: env().PUBLIC_URL,
    payments: paymentSettings(),
    premiumPrice: shownPriceOnSale(),
  };
  const headers = new Headers();
  if (flash) headers.append("Set-Cookie", await clearFlash());
  if (viewer || flash || hasSessionCookie(request))
    headers.set("Cache-Control", "private, no-store");
  const renewed = await renewOrNull(args);
  if (renewed) headers.append("Set-Cookie", renewed);
  return data(root, { headers });
}

async function renewOrNull(args: { request: Request; context: AppLoadContext }) {
  const found = await findSession(args);
  if (!found) return null;
  try {
    return await renewSession(args.request, { tokenHash: found.tokenHash, ...found.session });
  } catch (error) {
    log().error({ err: error }, "the session could not be extended");
    return null;
  }
}
