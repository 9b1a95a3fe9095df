import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { sessionSecrets } from "./session-secrets.server";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A token that is the id of a row, signed for one purpose: derived, so that nothing secret is stored, and the same
 * each time. With `content`, it is worthless once that has changed. A token for one purpose is invalid for another.
 */
export function signId(purpose: string, id: string, content?: string): string {
  const [newest = ""] = sessionSecrets();
  return `${id}.${signatureOf(newest, purpose, id, content).toString("base64url")}`;
}

/** The id that a token names, signed or not; null for what has not the form of a token. */
export function idInToken(token: unknown): string | null {
  return typeof token === "string" ? (partsOf(token)?.id ?? null) : null;
}

/** Whether a token was signed for this purpose and content, with any secret still in use. */
export function isIdSigned(purpose: string, token: unknown, content?: string): boolean {
  const parts = typeof token === "string" ? partsOf(token) : null;
  if (!parts) return false;
  const given = Buffer.from(parts.signature, "base64url");
  return sessionSecrets().some((secret) => {
    const wanted = signatureOf(secret, purpose, parts.id, content);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function partsOf(token: string): { id: string; signature: string } | null {
  const [id = "", signature = "", ...rest] = token.split(".");
  return UUID.test(id) && rest.length === 0 ? { id, signature } : null;
}

/** The key is derived for the purpose, so that no other signature of the site is a valid token. */
function signatureOf(secret: string, purpose: string, id: string, content?: string): Buffer {
  const key = hkdfSync("sha256", secret, "", purpose, 32);
  const signed = content === undefined ? id : `${id} ${content}`;
  return createHmac("sha256", Buffer.from(key)).update(signed).digest();
}
