import { type Cookie, createCookie } from "@remix-run/node";
import { env } from "~/env.server";
import { sessionSecrets } from "./session-secrets.server";

/**
 * A cookie's name as sent to browsers. When Secure it has the `__Host-` prefix, so that neither a subdomain nor a
 * plain-HTTP connection can set it (RFC 6265bis, 4.1.3).
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

/** Whether a Cookie header holds a cookie of exactly this name, valid or not. */
export function hasCookie(header: string | null | undefined, name: string): boolean {
  if (!header) return false;
  const pairs = header.split(";").map((pair) => pair.split("="));
  return pairs.some(([found = "", value]) => value !== undefined && found.trim() === name);
}
