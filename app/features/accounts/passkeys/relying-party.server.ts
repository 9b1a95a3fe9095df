import type { AuthenticatorTransport } from "@simplewebauthn/server";
import { z } from "zod";
import { env } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";
import type { FieldValue } from "~/http/request-body.server";
import type { Passkey } from "~db/schema";

/** Maximum length of a browser's response, in characters of JSON; a real one has about 1,000. */
const MAX_ANSWER_LENGTH = 16_384;

/** A credential's id: at most 1,023 bytes (WebAuthn, 4) in base64url. */
export const credentialIdSchema = z
  .string()
  .max(1_364)
  .regex(/^[\w-]+$/);

/** Returns this site as authenticators know it (WebAuthn, "Relying Party"). */
export function relyingParty(): { id: string; name: string; origin: string } {
  const { hostname, origin } = new URL(env().PUBLIC_URL);
  return { id: hostname, name: currentSite().title, origin };
}

/** Parses the JSON of an authenticator's response; returns null if it is not JSON or too long. */
export function readAnswer(sent: FieldValue): unknown {
  if (typeof sent !== "string" || sent.length > MAX_ANSWER_LENGTH) return null;
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}

/** Returns the handle an authenticator stores for a user: the 16 bytes of the user's id. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll("-", ""), "hex"));
}

/** Describes a passkey to a browser. `transports` holds the values the browser gave at registration. */
export function toDescriptor({ id, transports }: Pick<Passkey, "id" | "transports">) {
  return { id, transports: transports as AuthenticatorTransport[] };
}
