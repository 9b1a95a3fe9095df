import { type AppLoadContext, data } from "@remix-run/node";
import { env } from "~/env.server";
import type { RootData } from "~/features/accounts/root-data";
import { hasSessionCookie, renewSession } from "~/features/accounts/sessions.server";
import { findSession, findViewer } from "~/features/accounts/viewer.server";
import { currentEdition } from "~/features/library/current-edition.server";
import type { LandingWords } from "~/features/library/landing-words";
import type { ReadingSettings } from "~/features/library/reading-settings";
import { readReadingSettings } from "~/features/library/reading-settings-cookie.server";
import { paymentSettings } from "~/features/membership/payment-settings.server";
import { shownPriceOnSale } from "~/features/membership/price-on-sale.server";
import { clearFlash, readFlash } from "~/http/flash.server";
import { log } from "~/observability/log.server";
import { isMembersPath } from "./members-path";

type SiteData = RootData & {
  /** Settings that style the whole document in the members' area; null elsewhere. */
  reading: ReadingSettings | null;
  /** The edition's own contact details and picture for link previews; null for the defaults. */
  contact: LandingWords["contact"] | null;
  share: LandingWords["share"] | null;
};

/**
 * The root loader's data: the viewer, the flash (cleared here, since it is shown once), the payment settings, and the
 * parts of the edition that every page shows.
 */
export async function loadRoot(args: { request: Request; context: AppLoadContext }) {
  const { request } = args;
  const inMembersArea = isMembersPath(new URL(request.url).pathname);
  const [viewer, session, flash, reading] = await Promise.all([
    findViewer(args),
    findSession(args),
    readFlash(request),
    inMembersArea ? readReadingSettings(request.headers.get("Cookie")) : null,
  ]);
  const own = currentEdition()?.landing;
  const root: SiteData = {
    viewer,
    isViewerKnown: session !== "unknown",
    toast: flash?.toast ? { ...flash.toast, id: flash.id } : null,
    notice: flash?.notice ?? null,
    form: flash?.email ? { email: flash.email } : null,
    publicUrl: env().PUBLIC_URL,
    payments: paymentSettings(),
    premiumPrice: shownPriceOnSale(),
    reading,
    contact: own?.contact ?? null,
    share: own?.share ?? null,
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
  if (!found || found === "unknown") return null;
  try {
    return await renewSession(args.request, { tokenHash: found.tokenHash, ...found.session });
  } catch (error) {
    log().error({ err: error }, "the session could not be extended");
    return null;
  }
}
