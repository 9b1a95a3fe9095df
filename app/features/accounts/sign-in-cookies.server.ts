import { rememberBrowser } from "./known-browser.server";
import { setSession } from "./sessions.server";

/** Returns the Set-Cookie headers after a sign-in: the session and the known-browser cookie. */
export async function signInCookies(
  request: Request,
  { session, email }: { session: string; email: string },
): Promise<Headers> {
  const headers = new Headers();
  headers.append("Set-Cookie", await setSession(session));
  headers.append("Set-Cookie", await rememberBrowser(request, email));
  return headers;
}
