import { env } from "~/env.server";

/** A cookie's name as browsers get it: host-prefixed when Secure, so that no subdomain can set it (RFC 6265bis, 4.1.3). */
export function cookieName(name: string): string {
  return env().PUBLIC_URL.startsWith("https:") ? `__Host-${name}` : name;
}

/** Whether a Cookie header holds a cookie of exactly this name, valid or not. */
export function hasCookie(header: string, name: string): boolean {
  return header.split(";").some((pair) => pair.trimStart().startsWith(`${name}=`));
}
