import { type AppLoadContext, redirect } from "@remix-run/node";
import pTimeout from "p-timeout";
import { readableEmail } from "~/environment/email-address.server";
import { isSubscribed } from "~/features/membership/access";
import { membershipProblem, membershipStatus } from "~/features/membership/membership-state";
import { nextPayment } from "~/features/membership/next-payment";
import { errorResponse } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import type { ViewerRow } from "~db/queries/sessions";
import { LOG_IN_PATH } from "./auth-paths";
import { hasOwnLogIn, leadingTo, readDestination } from "./destination";
import { keepDestination } from "./destination-cookie.server";
import { findSessionViewer } from "./sessions.server";
import type { SignedIn } from "./verify-identity.server";
import type { Viewer } from "./viewer";

/** Maximum wait for the session's row, in milliseconds: a hanging database must not hang the page. */
const TIMEOUT_MS = 4_000;

/** Null if signed out, "unknown" if the database could not be read. */
type Found = Awaited<ReturnType<typeof findSessionViewer>> | "unknown";

/** One query per request: Remix gives every loader and action of a request the same context. */
const byContext = new WeakMap<object, Promise<Found>>();

type Args = { request: Request; context: AppLoadContext };

/** Returns the request's session with its user and profile. Queries once per request and logs a failed query. */
export function findSession({ request, context }: Args): Promise<Found> {
  const known = byContext.get(context);
  if (known) return known;
  const found = pTimeout<Found>(findSessionViewer(request), { milliseconds: TIMEOUT_MS }).catch(
    (error: unknown) => {
      log().error({ err: error }, "the viewer could not be read; the page is shown signed out");
      return "unknown" as const;
    },
  );
  byContext.set(context, found);
  return found;
}

/** Returns the signed-in user; null if signed out or unknown. */
export async function findUser(args: Args): Promise<ViewerRow["user"] | null> {
  const session = await findSession(args);
  return session && session !== "unknown" ? session.user : null;
}

/** Returns the viewer as pages may show it; null if signed out or unknown. */
export async function findViewer(args: Args): Promise<Viewer | null> {
  const session = await findSession(args);
  return session && session !== "unknown" ? toViewer(session) : null;
}

/** Guard: returns the signed-in viewer, or throws a redirect to `fallback`. */
export async function requireViewer(args: Args, fallback: string): Promise<Viewer> {
  const viewer = await findViewer(args);
  if (!viewer) throw redirect(fallback);
  return viewer;
}

/**
 * Guard: returns the subscribed viewer; redirects anyone else to the landing page (specification, 2), which leads on
 * from there. Returns null if the session could not be read, since the page shows as loading until the browser retries,
 * and for a page that asks a signed-out visitor to log in (`PremiumGate`).
 */
export async function requireSubscriber(args: Args): Promise<Viewer | null> {
  const found = await findSession(args);
  if (found === "unknown") return null;
  const viewer = await findViewer(args);
  if (viewer?.isSubscribed) return viewer;
  const address = addressOf(args.request);
  if (!found && args.request.method !== "POST" && hasOwnLogIn(address)) return null;
  const headers = new Headers();
  const destination = readDestination(address);
  if (destination) headers.set("Set-Cookie", await keepDestination(destination));
  throw redirect("/", { headers });
}

/** A request's path and query. */
function addressOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/**
 * Guard: returns an account's viewer and session. Redirects anyone else to the log-in page, and throws a 503 Response
 * if the session could not be read.
 */
export async function requireAccount(args: Args): Promise<SignedIn & { viewer: Viewer }> {
  const found = await findSession(args);
  if (found === "unknown") {
    throw errorResponse(503, "The site can’t be reached. Please try again.", {
      "Retry-After": "5",
    });
  }
  if (!found) {
    const destination = readDestination(new URL(args.request.url).pathname) ?? "/account";
    throw redirect(leadingTo(LOG_IN_PATH, destination));
  }
  const { tokenHash, session, user } = found;
  return { userId: user.id, email: user.email, tokenHash, session, viewer: toViewer(found) };
}

function toViewer({ user, profile }: ViewerRow): Viewer {
  return {
    user: {
      id: user.id,
      email: user.email,
      readableEmail: readableEmail(user.email),
      user_metadata: { avatar_url: user.avatarUrl },
    },
    profile: profile && {
      stripe_price_id: profile.stripePriceId,
      stripe_current_period_end: profile.stripeCurrentPeriodEnd?.toISOString() ?? null,
      status: membershipStatus(profile),
      problem: membershipProblem(profile),
      nextPayment: nextPayment(profile),
      isPaymentPending: profile.isPaymentPending,
      confirmPaymentUrl: profile.confirmPaymentUrl,
      hasInvoices: profile.stripeCustomerId !== null && profile.stripeSubscriptionId !== null,
    },
    isSubscribed: isSubscribed(profile, new Date()),
  };
}
