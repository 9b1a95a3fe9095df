import { type AppLoadContext, redirect } from "@remix-run/node";
import { isAuthor } from "~/features/accounts/authors.server";
import { findSession } from "~/features/accounts/viewer.server";
import { verifyPath } from "~/features/my-account/account-paths";
import { keepForm } from "~/http/keep-form.server";
import { type FieldValue, wantsJson } from "~/http/request-body.server";
import { isWithin } from "~db/clock";
import { DESK_PATH } from "./desk-paths";

const MINUTE_MS = 60 * 1000;

/** How long after the password or a passkey an author may do what, in milliseconds. */
const VERIFIED_FOR = {
  /** To read and to write. */
  work: 12 * 60 * MINUTE_MS,
  /** For what cannot be undone, and for downloads of people, backups and exports. */
  sensitive: 10 * MINUTE_MS,
};

type Args = { request: Request; context: AppLoadContext };

/** An author at the desk. */
export type Author = { userId: string; email: string; verifiedAt: Date | null };

/** Returns the author who sends a request; null for everybody else, and while `AUTHOR_EMAIL` names nobody. */
export async function findAuthor(args: Args): Promise<Author | null> {
  const found = await findSession(args);
  if (!found || found === "unknown" || !isAuthor(found.user)) return null;
  const { user, session } = found;
  return { userId: user.id, email: user.email, verifiedAt: session.verifiedAt };
}

/** Whether an author has entered the password or used a passkey recently enough for this. */
export function isVerifiedFor(
  { verifiedAt }: Pick<Author, "verifiedAt">,
  what: keyof typeof VERIFIED_FOR,
): boolean {
  return isWithin(verifiedAt, VERIFIED_FOR[what]);
}

/**
 * Guard of every loader and action of the desk: returns the author. Throws the 404 Response of an unknown address to everybody
 * else. To an author whose password or passkey is due it throws a redirect to the question for it, which leads back to `from`,
 * by default the request's own path; or 401 if a script asks. A form with a `text` is kept (`keepForm`), to be posted to `from`.
 */
export async function requireAuthor(
  args: Args,
  what: keyof typeof VERIFIED_FOR = "work",
  from?: string,
  text?: FieldValue,
): Promise<Author> {
  const author = await findAuthor(args);
  if (!author) throw new Response(null, { status: 404 });
  if (isVerifiedFor(author, what)) return author;
  if (wantsJson(args.request)) throw Response.json({}, { status: 401 });
  const { pathname, search } = new URL(args.request.url);
  const own = pathname.replace(/\.data$/, "") + search;
  const back = from ?? (own.startsWith(DESK_PATH) ? own : DESK_PATH);
  throw text === undefined ? redirect(verifyPath(back)) : await keepForm(back);
}
