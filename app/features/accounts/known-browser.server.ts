import { createHash, randomBytes } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { z } from "zod";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** How many accounts a browser is known to; the one signed in to longest ago is forgotten first. */
const MAX_ACCOUNTS = 4;

const contentSchema = z.object({
  browser: z.string().regex(/^[\w-]{22}$/),
  accounts: z.array(z.string().regex(/^[\w-]{16}$/)).max(MAX_ACCOUNTS),
});

let cookie: Cookie | undefined;

function knownBrowserCookie(): Cookie {
  cookie ??= signedCookie("known-browser", YEAR_SECONDS);
  return cookie;
}

/**
 * The id of the request's browser, if that has signed in to the account with this address before; else
 * null, as for no address. Attempts of such a browser are counted by themselves, so its owner gets in while strangers use up
 * what an account allows (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It proves
 * nothing else: a password is still asked for.
 */
export async function findKnownBrowser(
  request: Request,
  email: string | null,
): Promise<string | null> {
  if (email === null) return null;
  const content = await readContent(request);
  return content?.accounts.includes(digest(email)) ? content.browser : null;
}

/** The Set-Cookie value by which the request's browser is known to the account with this address. */
export async function rememberBrowser(request: Request, email: string): Promise<string> {
  const before = await readContent(request);
  const account = digest(email);
  const others = before?.accounts.filter((other) => other !== account) ?? [];
  return knownBrowserCookie().serialize({
    browser: before?.browser ?? randomBytes(16).toString("base64url"),
    accounts: [account, ...others].slice(0, MAX_ACCOUNTS),
  });
}

async function readContent(request: Request): Promise<z.infer<typeof contentSchema> | null> {
  const header = request.headers.get("Cookie");
  if (!hasCookie(header, cookieName("known-browser"))) return null;
  const parsed = contentSchema.safeParse(await knownBrowserCookie().parse(header));
  return parsed.success ? parsed.data : null;
}

function digest(email: string): string {
  return createHash("sha256").update(email).digest("base64url").slice(0, 16);
}
