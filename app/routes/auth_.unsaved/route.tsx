import {
  type ActionFunctionArgs,
  type HeadersFunction,
  json,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { readEmail } from "~/environment/email-address.server";
import { hasHashQueueCapacity } from "~/features/accounts/password.server";
import { logIn } from "~/features/accounts/sign-in.server";
import { findSigningBrowser, signInCookies } from "~/features/accounts/sign-in-cookies.server";
import {
  keptFields,
  keptForm,
  LOG_IN_AS,
  type UnsavedForm,
} from "~/features/accounts/unsaved-form";
import { UnsavedPage } from "~/features/accounts/unsaved-page";
import { findSession } from "~/features/accounts/viewer.server";
import { isVerifiedFor } from "~/features/desk/author.server";
import { DESK_PATH } from "~/features/desk/desk-paths";
import { verifyPath } from "~/features/my-account/account-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import { clientNetworks } from "~/http/client-network.server";
import { BUSY_RETRY_SECONDS } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { BUSY_MESSAGE, errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

/** Passes on the action's headers, such as Retry-After. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Not saved yet", "What you wrote isn’t saved yet.");

export const handle: RouteHandle = { metricsName: "/auth" };

/** Requests whose action is answered with a page, for which Remix calls the loader too. */
const answeredWithPage = new WeakSet<object>();

/** Maximum size of a kept form in bytes: the longest notes, percent-encoded. */
const FORM_LIMIT = 1_000_000;

/** The page exists only as the response to a post. */
export const loader = ({ context }: LoaderFunctionArgs) =>
  answeredWithPage.has(context) ? null : redirect("/");

/**
 * Shows what was posted, and logs in by the rules and limits of `/auth/login` if its session has ended. Then the browser
 * posts it to its form's path again (307).
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const kept = keptForm(new URL(request.url).searchParams.get("to"));
  const { fields } = await readPageForm(request, FORM_LIMIT);
  if (!kept) throw errorResponse(400, "There is no such form.");
  const typed = fields[LOG_IN_AS];
  const signInAs = typeof typed === "string" ? typed : "";
  const show = (
    status: number,
    shown: Pick<UnsavedForm, "message"> & Partial<UnsavedForm>,
    seconds?: number,
  ) => {
    answeredWithPage.add(context);
    const headers = new Headers({ "Cache-Control": "private, no-store" });
    if (seconds !== undefined) headers.set("Retry-After", String(seconds));
    const shownForm = { ...kept, fields: keptFields(fields), signInAs, confirmAt: null };
    const body: UnsavedForm = { ...shownForm, ...shown };
    return json(body, { status, headers });
  };
  const busy = { message: BUSY_MESSAGE };

  const found = await findSession(args);
  if (found === "unknown") return show(503, { ...busy, signInAs: null }, BUSY_RETRY_SECONDS);
  const isOther = found && fields.owner !== undefined && fields.owner !== found.user.id;
  if (found && !isOther && kept.to.startsWith(DESK_PATH) && !isVerifiedFor(found.session, "work")) {
    const message = "Please confirm that it’s you. Then come back to this page and save.";
    return show(200, { message, signInAs: null, confirmAt: verifyPath(DESK_PATH) });
  }
  if (found && !isOther) return show(200, { message: null, signInAs: null });
  if (typed === undefined) {
    const why = found ? "Another account is logged in." : "You’ve been logged out.";
    return show(200, { message: `${why} Log in to save what you wrote.` });
  }

  if (!hasHashQueueCapacity(clientNetworks(context.clientAddress)))
    return show(503, busy, BUSY_RETRY_SECONDS);
  const account = readEmail(typed);
  const browser = await findSigningBrowser(request, context, account);
  const seconds = await checkRateLimit("login", { context, account, ...browser });
  if (seconds !== null) return show(429, { message: waitMessage(seconds) }, seconds);
  const outcome = await logIn({ email: typed, password: fields.password }, browser);
  switch (outcome.kind) {
    case "signed-in": {
      const headers = await signInCookies(request, outcome);
      return redirect(kept.to, { status: 307, headers });
    }
    case "rejected":
      return show(401, { message: `${outcome.message}.` });
    case "busy":
      return show(503, busy, BUSY_RETRY_SECONDS);
    case "failed":
      return show(500, { message: "Something went wrong." });
  }
}

export default function Unsaved() {
  const unsaved = useActionData<typeof action>() as UnsavedForm | undefined;
  return unsaved && <UnsavedPage {...unsaved} />;
}
