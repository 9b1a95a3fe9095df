import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import { readDestination } from "./destination";

const NAME = "destination";
const LIFE_SECONDS = 60 * 60;

/** The cookie's name. A request that carries it must not be answered from a shared cache. */
export function destinationCookieName(): string {
  return cookieName(NAME);
}

/** The Set-Cookie value that keeps a destination for an hour, through whatever opens the account. */
export function keepDestination(destination: string): Promise<string> {
  return signedCookie(NAME, LIFE_SECONDS).serialize(destination);
}

/** The Set-Cookie value that forgets it. */
export function forgetDestination(): Promise<string> {
  return signedCookie(NAME, LIFE_SECONDS).serialize("", { maxAge: 0, expires: new Date(0) });
}

/** The destination that a request's address names (`leadingTo`), or else its cookie; null for none. */
export async function findDestination(request: Request): Promise<string | null> {
  const named = readDestination(new URL(request.url).searchParams.get("leads-to"));
  const header = request.headers.get("Cookie");
  if (named !== null || !hasCookie(header, destinationCookieName())) return named;
  return readDestination(await signedCookie(NAME, LIFE_SECONDS).parse(header));
}
