import { env } from "~/env.server";

const DAY_MS = 86_400_000;

/** RFC 9116, 2.5.5, recommends less than a year; a running site renews it every day. */
const VALID_DAYS = 180;

/** The site's security.txt as of now (RFC 9116); null without SECURITY_CONTACT. */
export function securityTxt(now: Date): string | null {
  const { SECURITY_CONTACT, PUBLIC_URL } = env();
  if (!SECURITY_CONTACT) return null;
  // rounded to the day, so that the response stays the same for caches
  const expires = (Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS;
  const lines = [
    ...SECURITY_CONTACT.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date(expires).toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${PUBLIC_URL}/.well-known/security.txt`,
  ];
  return `${lines.join("\n")}\n`;
}
