import {
  type ActionFunctionArgs,
  type HeadersFunction,
  json,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { readEmail } from "~/environment/email-address.server";
import { findKnownBrowser } from "~/features/accounts/known-browser.server";
import { hasHashQueueCapacity } from "~/features/accounts/password.server";
import { readSession } from "~/features/accounts/sessions.server";
import { logIn } from "~/features/accounts/sign-in.server";
import {
  byWayOfCheck,
  type SignedIn,
  signInCookies,
} from "~/features/accounts/sign-in-cookies.server";
import type { Viewer } from "~/features/accounts/viewer";
import { findSession, findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import libraryStyles from "~/features/library/library.css";
import {
  NOTE_FORM_LIMIT,
  type PostedNote,
  readPostedNote,
  saveNote,
} from "~/features/library/notes/save-note.server";
import type { UnsavedNotes } from "~/features/library/notes/unsaved-notes";
import { UnsavedNotesPage } from "~/features/library/notes/unsaved-notes-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import { clientNetworks } from "~/http/client-network.server";
import { answerForm, BUSY_RETRY_SECONDS } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { BUSY_MESSAGE, errorResponse, type FieldValue } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

/** Passes on the action's headers, such as Retry-After. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Your notes", "Notes that aren’t saved yet.");

export const handle: RouteHandle = { metricsName: "/premium/notes" };

/** Requests whose action is answered with a page, for which Remix calls the loader too. */
const answeredWithPage = new WeakSet<object>();

/** The page exists only as the response to a post. */
export async function loader(args: LoaderFunctionArgs) {
  if (answeredWithPage.has(args.context)) return null;
  await requireSubscriber(args);
  return redirect("/premium");
}

/**
 * Saves notes that were posted as a form, and redirects back to them. If they cannot be saved, the response is a page
 * with the text. If the session has ended meanwhile, that page's form signs in and saves in one post.
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const { fields } = await readPageForm(request, NOTE_FORM_LIMIT);
  const posted = readPostedNote(fields);
  if (!posted) throw errorResponse(400, "The notes couldn’t be read.");
  if ((await findSession(args)) === "unknown") return notSaved(context, posted, 503, BUSY_MESSAGE);

  const viewer = await findViewer(args);
  if (viewer?.user.id === posted.owner) return save(args, posted, viewer);
  if (fields.email === undefined && fields.password === undefined) {
    const why = viewer ? "Another account is logged in." : "You’ve been logged out.";
    const message = `${why} Log in to save your notes.`;
    return notSaved(context, posted, 200, message, { signInAs: "" });
  }
  return signInAndSave(args, posted, fields);
}

type Args = Pick<ActionFunctionArgs, "request" | "context">;

/** Signs in by the rules and limits of `/auth/login`, and saves. */
async function signInAndSave(
  { request, context }: Args,
  posted: PostedNote,
  { email, password }: Record<string, FieldValue>,
) {
  const { clientAddress } = context;
  const signInAs = typeof email === "string" ? email : "";
  const rejectBusy = () =>
    notSaved(context, posted, 503, BUSY_MESSAGE, { signInAs, seconds: BUSY_RETRY_SECONDS });
  if (!hasHashQueueCapacity(clientNetworks(clientAddress))) return rejectBusy();
  const account = readEmail(email);
  const knownBrowser = await findKnownBrowser(request, account);
  const seconds = await checkRateLimit("login", { context, account, knownBrowser });
  if (seconds !== null) {
    return notSaved(context, posted, 429, waitMessage(seconds), { signInAs, seconds });
  }

  const session = await readSession(request);
  const userAgent = request.headers.get("User-Agent");
  const outcome = await logIn(
    { email, password },
    { clientAddress, session, knownBrowser, userAgent },
  );
  switch (outcome.kind) {
    case "signed-in": {
      const cookies = await signInCookies(request, outcome);
      const viewer = await findViewer(requestOf(request, cookies));
      if (viewer) return save({ request, context }, posted, viewer, { cookies, signedIn: outcome });
      return notSaved(context, posted, 503, BUSY_MESSAGE, { signInAs, cookies });
    }
    case "rejected":
      return notSaved(context, posted, 401, `${outcome.message}.`, { signInAs });
    case "busy":
      return rejectBusy();
    case "failed":
      return notSaved(context, posted, 500, "Something went wrong.", { signInAs });
  }
}

/** The request that the browser would send next, with its new cookies, to find the viewer. */
function requestOf({ url }: Request, cookies: Headers): Args {
  const Cookie = cookies
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  return { request: new Request(url, { headers: { Cookie } }), context: {} };
}

/** After a sign-in in the same post, `cookies` and `signedIn` are its own. */
async function save(
  { context }: Args,
  posted: PostedNote,
  viewer: Viewer,
  { cookies = new Headers(), signedIn }: { cookies?: Headers; signedIn?: SignedIn } = {},
) {
  const leadTo = (path: string) => (signedIn ? byWayOfCheck(signedIn, path) : path);
  const isOwner = viewer.user.id === posted.owner;
  const seconds = await checkRateLimit("notes", { context, account: viewer.user.id });
  if (seconds !== null) {
    return notSaved(context, posted, 429, waitMessage(seconds), { cookies, seconds });
  }
  // a user who has just signed in may save the text on their screen, even if another wrote it
  const outcome = await saveNote(posted, viewer, { adopts: !isOwner });
  switch (outcome.kind) {
    case "saved": {
      const { isOver, insertions, path } = outcome;
      const toast = insertions.length > 0 ? toasts.notesMerged : toasts.notesSaved;
      return answerForm(
        { wantsJson: false },
        {
          toast: isOver ? toasts.notesSavedAfterEnd : toast,
          redirectTo: leadTo(isOver ? "/" : `${path}#notes`),
          headers: cookies,
        },
      );
    }
    case "too-long":
      return notSaved(context, posted, 422, outcome.message, { cookies });
    case "unknown-text":
      return notSaved(context, posted, 404, "This text is no longer part of the book.", {
        cookies,
      });
    case "never-member":
      return answerForm(
        { wantsJson: false },
        { toast: null, redirectTo: leadTo("/"), headers: cookies },
      );
    case "other-owner":
    case "failed":
      return notSaved(context, posted, 500, "Something went wrong. Please try again.", { cookies });
  }
}

type Failure = {
  /** The address to sign in with first; null if that is not needed. */
  signInAs?: string | null;
  /** The cookies of a session that was opened although the notes were not saved. */
  cookies?: Headers;
  /** After how many seconds to try again. */
  seconds?: number;
};

/** The page with a text that could not be saved. */
function notSaved(
  context: ActionFunctionArgs["context"],
  { slug, owner, version, text }: PostedNote,
  status: number,
  message: string,
  { signInAs = null, cookies: headers = new Headers(), seconds }: Failure = {},
) {
  answeredWithPage.add(context);
  headers.set("Cache-Control", "private, no-store");
  if (seconds !== undefined) headers.set("Retry-After", String(seconds));
  const body: UnsavedNotes = { slug, owner, version, text, message, signInAs };
  return json(body, { status, headers });
}

export default function Notes() {
  const unsaved = useActionData<typeof action>() as UnsavedNotes | undefined;
  return unsaved && <UnsavedNotesPage {...unsaved} />;
}
