import { type AppLoadContext, redirect } from "@remix-run/node";
import { isAuthor } from "~/features/accounts/authors.server";
import { findSession } from "~/features/accounts/viewer.server";
import { verifyPath } from "~/features/my-account/account-paths";
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
 * else, and to an author a redirect to the question for the password or passkey where it is due. That leads back to `from`, by
 * default the request's own path.
 */
export async function requireAuthor(
  args: Args,
  what: keyof typeof VERIFIED_FOR = "work",
  from?: string,
): Promise<Author> {
  const author = await findAuthor(args);
  if (!author) throw new Response(null, { status: 404 });
  if (isVerifiedFor(author, what) || (what === "work" && isShownAgain(args))) return author;
  const { pathname, search } = new URL(args.request.url);
  const own = pathname.replace(/\.data$/, "") + search;
  throw redirect(verifyPath(from ?? (own.startsWith(DESK_PATH) ? own : DESK_PATH)));
}

/** Contexts of requests whose page shows what was typed and nothing else. */
const shownAgain = new WeakSet<AppLoadContext>();

/** Whether a request's page shows again what an author typed, who has to enter the password first. Its loader loads nothing. */
export const isShownAgain = ({ context }: Pick<Args, "context">) => shownAgain.has(context);

/** Lets the page of a refused form show what was typed, though the password is due. */
export const showAgain = ({ context }: Pick<Args, "context">) => void shownAgain.add(context);

/** As `requireAuthor`, for a form with a long text: null where the password is due, to `showAgain` what was typed. */
export async function findWriter(args: Args): Promise<Author | null> {
  const author = await findAuthor(args);
  if (!author) throw new Response(null, { status: 404 });
  return isVerifiedFor(author, "work") ? author : null;
}
