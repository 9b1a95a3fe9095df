import { createHash, randomBytes } from "node:crypto";

/** Creates the secret of a link or session: 32 random bytes for its holder, and the token's SHA-256 for the database. */
export function createLinkToken(): { token: string; tokenHash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, tokenHash: hashToken(token) };
}

/** Returns whether a field has the format of a link token, valid or not. */
export function isLinkToken(token: unknown): token is string {
  return typeof token === "string" && /^[\w-]{43}$/.test(token);
}

/** Returns the hash a token is stored under; null if it does not have the format of a token. */
export function hashLinkToken(token: unknown): string | null {
  return isLinkToken(token) ? hashToken(token) : null;
}

/** Returns the hash any token is stored under. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
