import { type Cookie, createCookie } from "@remix-run/node";
import { env } from "~/env.server";
import { sessionSecrets } from "./session-secrets.server";

/**
 * A cookie's name as sent to browsers: with the `__Host-` prefix when Secure, so that neither a subdomain nor
 * a plain-HTTP connection can set it (RFC 6265bis, 4.1.3).
 */
export function cookieName(name: string): string {
  return isSecure() ? `__Host-${name}` : name;
}

/**
 * A cookie of this site that lives `maxAge` seconds, signed with the newest secret and readable under any of
 * them. Meets the conditions of the `__Host-` prefix: Secure, path `/`, no domain.
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
 * Whether a Cookie header holds a cookie of exactly this name, valid or not. Scans the header without parsing
 * it, because it runs on every request for a cached page.
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
