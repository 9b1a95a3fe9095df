import { type Cookie, createCookie } from "@remix-run/node";
import { env } from "~/env.server";
import { sessionSecrets } from "./session-secrets.server";

/**
 * A cookie's name as browsers get it: host-prefixed when Secure, so that neither a subdomain nor a plain
 * connection can set it (RFC 6265bis, 4.1.3).
 */
export function cookieName(name: string): string {
  return isSecure() ? `__Host-${name}` : name;
}

/**
 * A cookie of this site, signed with the newest secret and readable under any of them, for `maxAge`
 * seconds. It has what the host prefix asks for: Secure, the path `/` and no domain.
 */
export function signedCookie(name: string, maxAge: number): Cookie {
  return createCookie(cookieName(name), {
    httpOnly: true,
    path: "/",
    sameSite: "lax",
    secure: isSecure(),
    secrets: sessionSecrets(),
    maxAge,
  });
}

function isSecure(): boolean {
  return env().PUBLIC_URL.startsWith("https:");
}

const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/**
 * Whether a Cookie header holds a cookie of exactly this name, valid or not. Looks at the header once and
 * makes nothing of it, because every request for a cached page is asked this.
 */
export function hasCookie(header: string | null | undefined, name: string): boolean {
  if (!header) return false;
  let at = header.indexOf(name);
  while (at !== -1) {
    const before = skipSpace(header, at - 1, -1);
    const after = skipSpace(header, at + name.length, 1);
    const begins = before < 0 || header.charCodeAt(before) === SEMICOLON;
    if (begins && header.charCodeAt(after) === EQUALS) return true;
    at = header.indexOf(name, at + name.length);
  }
  return false;
}

function skipSpace(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at += step;
  return at;
}
