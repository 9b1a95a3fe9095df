import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { sessionSecrets } from "./session-secrets.server";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A token that is the id of a row, signed for one purpose and invalid for any other. It is the same each time, so that
 * nothing secret has to be stored. With `content`, it becomes invalid once that changes.
 */
export function signId(purpose: string, id: string, content?: string): string {
  const [newest = ""] = sessionSecrets();
  return `${id}.${signatureOf(newest, purpose, id, content).toString("base64url")}`;
}

/** The id in a token, without checking its signature; null for text of another form. */
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
