import { type AppLoadContext, data } from "@remix-run/node";
import { env } from "~/env.server";
import { hasOwnLogIn, UPGRADE } from "~/features/accounts/destination";
import {
  findDestination,
  forgetDestination,
  keepDestination,
} from "~/features/accounts/destination-cookie.server";
import type { RootData } from "~/features/accounts/root-data";
import { hasSessionCookie, renewSession } from "~/features/accounts/sessions.server";
import type { Viewer } from "~/features/accounts/viewer";
import { findSession, findUser, findViewer } from "~/features/accounts/viewer.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { labeledTitle } from "~/features/library/entry-label";
import { documentPath } from "~/features/library/library-paths";
import { type ReadingSettings, toReadingSettings } from "~/features/library/reading-settings";
import { findReadingSettings, readingCookieName } from "~/features/library/reading-settings.server";
import { paymentSettings } from "~/features/membership/payment-settings.server";
import { shownPriceOnSale } from "~/features/membership/price-on-sale.server";
import { currentSite } from "~/features/site/current-site.server";
import type { PageSite } from "~/features/site/page-site";
import { pageSite } from "~/features/site/page-site.server";
import { hasCookie } from "~/http/cookies.server";
import { clearFlash, readFlash } from "~/http/flash.server";
import { log } from "~/observability/log.server";
import { isMembersPath } from "./members-path";

type SiteData = RootData & {
  /** Settings that style the whole document; null on pages that are not read, for visitors who have chosen nothing. */
  reading: ReadingSettings | null;
  /** The book's name and what else of the author's site every page shows. */
  site: PageSite;
};

/**
 * The root loader's data: the viewer, the flash (cleared here, since it is shown once), the payment settings, and the
 * parts of the edition that every page shows.
 */
export async function loadRoot(args: { request: Request; context: AppLoadContext }) {
  const { request } = args;
  const cookies = request.headers.get("Cookie");
  const { pathname, search, searchParams } = new URL(request.url);
  const [viewer, session, flash, chosen, found] = await Promise.all([
    findViewer(args),
    findSession(args),
    readFlash(request),
    findUser(args).then((user) => findReadingSettings({ user, cookies })),
    findDestination(request),
  ]);
  const isRead =
    viewer !== null || isMembersPath(pathname) || /^\/(preview|drafts)\//.test(pathname);
  const isAsked = viewer === null && hasOwnLogIn(pathname + search);
  const wanted = isAsked ? pathname + search : found;
  const isReached = viewer !== null && wanted?.replace(/\?.*/, "") === pathname;
  const { PUBLIC_URL, PRICE_NOTE, CANCELLATION_PAGE, CANCELLATION_LINK_LABEL } = env();
  const root: SiteData = {
    viewer,
    isViewerKnown: session !== "unknown",
    toast: flash?.toast ? { ...flash.toast, id: flash.id } : null,
    notice: flash?.notice ?? null,
    destination: wanted && !isReached ? describeDestination(wanted, viewer) : null,
    form: flash?.email ? { email: flash.email } : null,
    publicUrl: PUBLIC_URL,
    payments: paymentSettings(),
    premiumPrice: shownPriceOnSale(),
    priceNote: PRICE_NOTE ?? null,
    cancellationLabel: CANCELLATION_PAGE ? CANCELLATION_LINK_LABEL : null,
    reading: chosen ?? (isRead ? toReadingSettings(null) : null),
    site: pageSite(currentSite()),
  };
  const headers = new Headers();
  if (flash) headers.append("Set-Cookie", await clearFlash());
  if (isReached) headers.append("Set-Cookie", await forgetDestination());
  else if (wanted && (isAsked || searchParams.has("leads-to"))) {
    headers.append("Set-Cookie", await keepDestination(wanted));
  }
  if (
    viewer ||
    flash ||
    wanted ||
    hasSessionCookie(request) ||
    hasCookie(cookies, readingCookieName())
  )
    headers.set("Cache-Control", "private, no-store");
  const renewed = await renewOrNull(args);
  if (renewed) headers.append("Set-Cookie", renewed);
  return data(root, { headers });
}

/** A destination with a text's title, for a member alone. Null for an upgrade that is done. */
function describeDestination(path: string, viewer: Viewer | null) {
  const edition = viewer?.isSubscribed ? currentEdition() : null;
  if (!edition) return { path, title: null };
  if (path === UPGRADE) return null;
  const [address = ""] = path.split("?");
  const entry = edition.find(address.split("/").at(-1) ?? "", new Date());
  return { path, title: entry && documentPath(entry) === address ? labeledTitle(entry) : null };
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
