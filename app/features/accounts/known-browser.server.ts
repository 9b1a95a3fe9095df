import { createHash, randomBytes } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { z } from "zod";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import { findUserByEmail } from "~db/queries/users";

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

/** A browser is known to an account for as long as its password stays: whoever takes the account back is alone with it. */
type KnownAccount = { email: string; passwordHash: string };

/** Without the database no browser is known; the sign-in itself then says what fails. */
async function findAccount(email: string): Promise<KnownAccount | null> {
  try {
    return await findUserByEmail(email);
  } catch (error) {
    log().warn({ err: error }, "a known browser could not be looked up");
    return null;
  }
}

/**
 * Returns the browser's id if it has signed in to the account with this address before, and its password is still the
 * same; otherwise null. Known browsers have their own rate limit, so the owner can sign in while strangers use up the
 * account's (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export async function findKnownBrowser(
  request: Request,
  email: string | null,
  find: (email: string) => Promise<KnownAccount | null> = findAccount,
): Promise<string | null> {
  const content = email === null ? null : await readContent(request);
  const account = content && email && (await find(email));
  return account && content.accounts.includes(digest(account)) ? content.browser : null;
}

/** Returns the Set-Cookie value that makes the browser known to the account with this address. */
export async function rememberBrowser(
  request: Request,
  email: string,
  find: (email: string) => Promise<KnownAccount | null> = findAccount,
): Promise<string> {
  const [before, found] = await Promise.all([readContent(request), find(email)]);
  const account = found ? [digest(found)] : [];
  const others = before?.accounts.filter((other) => !account.includes(other)) ?? [];
  return knownBrowserCookie().serialize({
    browser: before?.browser ?? randomBytes(16).toString("base64url"),
    accounts: [...account, ...others].slice(0, MAX_ACCOUNTS),
  });
}

async function readContent(request: Request): Promise<z.infer<typeof contentSchema> | null> {
  const header = request.headers.get("Cookie");
  if (!hasCookie(header, cookieName("known-browser"))) return null;
  const parsed = contentSchema.safeParse(await knownBrowserCookie().parse(header));
  return parsed.success ? parsed.data : null;
}

function digest({ email, passwordHash }: KnownAccount): string {
  return createHash("sha256").update(`${email} ${passwordHash}`).digest("base64url").slice(0, 16);
}
