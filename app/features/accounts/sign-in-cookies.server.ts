import type { AppLoadContext } from "@remix-run/node";
import { type FlashNotice, setFlash } from "~/http/flash.server";
import type { FormAnswer } from "~/http/form-answer.server";
import { safeRedirect } from "~/http/safe-redirect";
import type { ToastMessage } from "~/toast-messages";
import { isWithin } from "~db/clock";
import { findViewerBySession } from "~db/queries/sessions";
import { LOG_IN_PATH } from "./auth-paths";
import { findKnownBrowser, rememberBrowser } from "./known-browser.server";
import { hashToken } from "./link-token.server";
import { hasSessionCookie, readSession, setSession } from "./sessions.server";
import type { SigningBrowser } from "./sign-in.server";

/** How long after a sign-in its address tells whose it was, in milliseconds. */
const MARKER_LIFETIME_MS = 10 * 60_000;

/** Returns what a request says about the browser from which somebody signs in to the account with an address. */
export async function findSigningBrowser(
  request: Request,
  { clientAddress }: AppLoadContext,
  email: string | null,
): Promise<SigningBrowser> {
  return {
    clientAddress,
    session: await readSession(request),
    knownBrowser: await findKnownBrowser(request, email),
    userAgent: request.headers.get("User-Agent"),
  };
}

type SignedIn = { session: string; email: string };

/** Returns the Set-Cookie headers after a sign-in: the session and the known-browser cookie. */
export async function signInCookies(
  request: Request,
  { session, email }: SignedIn,
): Promise<Headers> {
  const headers = new Headers();
  headers.append("Set-Cookie", await setSession(session));
  headers.append("Set-Cookie", await rememberBrowser(request, email));
  return headers;
}

/**
 * The answer to a sign-in. It leads to `leadsTo` by way of the log-in page, which finds out whether the browser has kept
 * the session's cookie (`checkSignIn`). The toast is in a cookie of its own, so it shows only if cookies are kept.
 */
export async function answerSignIn(
  request: Request,
  signedIn: SignedIn,
  { toast, leadsTo = "/", notice }: { toast: ToastMessage; leadsTo?: string; notice?: FlashNotice },
): Promise<FormAnswer> {
  const headers = await signInCookies(request, signedIn);
  headers.append("Set-Cookie", await setFlash(toast, null, notice));
  return { toast: null, redirectTo: byWayOfCheck(signedIn, leadsTo), headers };
}

/** The log-in page's path at which it finds out about this sign-in's cookie, and then leads on. */
function byWayOfCheck({ session }: SignedIn, leadsTo: string): string {
  const search = new URLSearchParams({ "signed-in": hashToken(session) });
  if (leadsTo !== "/") search.set("leads-to", leadsTo);
  return `${LOG_IN_PATH}?${search}`;
}

/** What the log-in page learns from its address. */
export type SignInCheck =
  /** The address has no marker. */
  | { kind: "none" }
  | { kind: "kept"; leadsTo: string }
  /** The browser did not return the cookie; `email` is null some minutes later. */
  | { kind: "refused"; email: string | null; leadsTo: string };

/** Finds out whether the browser has kept the cookie of a sign-in that has led to this address. */
export async function checkSignIn(request: Request): Promise<SignInCheck> {
  const { searchParams } = new URL(request.url);
  const marker = searchParams.get("signed-in");
  if (marker === null) return { kind: "none" };
  const leadsTo = safeRedirect(searchParams.get("leads-to"));
  if (hasSessionCookie(request)) return { kind: "kept", leadsTo };
  // without a database the page only lacks the address
  const opened = /^[0-9a-f]{64}$/.test(marker)
    ? await findViewerBySession(marker, new Date()).catch(() => null)
    : null;
  const isRecent = opened && isWithin(opened.session.createdAt, MARKER_LIFETIME_MS);
  return { kind: "refused", email: isRecent ? opened.user.email : null, leadsTo };
}
