import { createHash } from "node:crypto";
import type { AuthenticatorTransport } from "@simplewebauthn/server";
import { z } from "zod";
import { BOOK_TITLE } from "~/book";
import { env } from "~/env.server";
import type { FieldValue } from "~/http/request-body.server";
import type { Passkey } from "~db/schema";

/** Longest answer of a browser that is examined, in characters of JSON; a real one has about 1,000. */
const MAX_ANSWER_LENGTH = 16_384;

/** A credential's id: at most 1,023 bytes (WebAuthn, 4) in base64url. */
export const credentialIdSchema = z
  .string()
  .max(1_364)
  .regex(/^[\w-]+$/);

/** This site as authenticators know it (WebAuthn, "Relying Party"). */
export function relyingParty(): { id: string; name: string; origin: string } {
  const { hostname, origin } = new URL(env().PUBLIC_URL);
  return { id: hostname, name: BOOK_TITLE, origin };
}

/** The JSON in which a browser sends what its authenticator answered; null for anything else. */
export function readAnswer(sent: FieldValue): unknown {
  if (typeof sent !== "string" || sent.length > MAX_ANSWER_LENGTH) return null;
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}

/** The handle under which an authenticator stores a user: the 16 bytes of their id. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll("-", ""), "hex"));
}

/** The SHA-256 of a challenge, in hexadecimal, under which it is stored once used. */
export function hashChallenge(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

/** A passkey as a browser is told of it; the ways to reach its authenticator are as some browser once named them. */
export function toDescriptor({ id, transports }: Pick<Passkey, "id" | "transports">) {
  return { id, transports: transports as AuthenticatorTransport[] };
}
