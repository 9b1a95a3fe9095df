import { createHash, randomBytes } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { z } from "zod";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Maximum number of accounts a browser is known to. The least recently signed-in one is evicted first. */
const MAX_ACCOUNTS = 4;

const contentSchema = z.object({
  browser: z.string().regex(/^[\w-]{22}$/),
  accounts: z.array(z.string().regex(/^[\w-]{16}$/)).max(MAX_ACCOUNTS),
});

function knownBrowserCookie(): Cookie {
  return signedCookie("known-browser", YEAR_SECONDS);
}

/**
 * Returns the browser's id if it has signed in to the account with this address before; otherwise null. Known
 * browsers have their own rate limit, so the owner can sign in while strangers use up the account's (OWASP, "Slow Down
 * Online Guessing Attacks with Device Cookies").
 */
export async function findKnownBrowser(
  request: Request,
  email: string | null,
): Promise<string | null> {
  if (email === null) return null;
  const content = await readContent(request);
  return content?.accounts.includes(digest(email)) ? content.browser : null;
}

/** Returns the Set-Cookie value that makes the browser known to the account with this address. */
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
