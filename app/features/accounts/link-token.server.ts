import { createHash, randomBytes } from "node:crypto";

/** Creates a link's secret: 32 random bytes for the link, and the token's SHA-256 for the database. */
export function createLinkToken(): { token: string; tokenHash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, tokenHash: sha256(token) };
}

/** Returns whether a field has the format of a link token, valid or not. */
export function isLinkToken(token: unknown): token is string {
  return typeof token === "string" && /^[\w-]{43}$/.test(token);
}

/** Returns the hash a token is stored under; null if it does not have the format of a token. */
export function hashLinkToken(token: unknown): string | null {
  return isLinkToken(token) ? sha256(token) : null;
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
