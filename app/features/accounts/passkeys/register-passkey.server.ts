import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import { z } from "zod";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { insertPasskey, listPasskeys, spendChallenge } from "~db/queries/passkeys";
import { deviceOf } from "../device.server";
import { deviceName } from "../device-name";
import { hashToken } from "../link-token.server";
import { ALREADY_USED, CHALLENGE_OVER } from "./accept-assertion.server";
import { CHALLENGE_LIFETIME_MS, type Challenge } from "./challenge-cookie.server";
import { enqueuePasskeyNotice } from "./passkey-notice.server";
import { PASSKEY_NAME_MAX_LENGTH } from "./passkey-paths";
import {
  credentialIdSchema,
  readAnswer,
  relyingParty,
  toDescriptor,
  userHandleOf,
} from "./relying-party.server";

/** Maximum number of passkeys per account. */
const MAX_PASSKEYS = 20;

const TOO_MANY = `You already have ${MAX_PASSKEYS} passkeys. Please remove one first.`;
const NOT_VERIFIED = "The passkey couldn’t be added. Please try again.";
const TAKEN = "This passkey is already registered.";

/** EdDSA, ES256 and RS256 (IANA, COSE Algorithms). Every supported version of Node can verify them. */
const ALGORITHMS = [-8, -7, -257];

const registrationSchema = z.object({
  id: credentialIdSchema,
  rawId: z.string(),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: z.string(),
    attestationObject: z.string(),
    // a browser may name transports that do not exist yet
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});

/** The options with which a browser creates a passkey, or why it may not. */
export type RegistrationOptionsOutcome =
  | { kind: "options"; options: PublicKeyCredentialCreationOptionsJSON }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Returns the options for a new passkey, on an authenticator that holds none of the user's yet. Never throws. */
export async function registrationOptions(
  { userId, email }: { userId: string; email: string },
  challenge: Challenge,
): Promise<RegistrationOptionsOutcome> {
  try {
    const existing = await listPasskeys(userId);
    if (existing.length >= MAX_PASSKEYS) return { kind: "rejected", message: TOO_MANY };
    const { id: rpID, name: rpName } = relyingParty();
    const options = await generateRegistrationOptions({
      rpID,
      rpName,
      userName: email,
      userDisplayName: email,
      userID: userHandleOf(userId),
      challenge: new Uint8Array(Buffer.from(challenge.value, "base64url")),
      timeout: CHALLENGE_LIFETIME_MS,
      attestationType: "none",
      excludeCredentials: existing.map(toDescriptor),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return { kind: "options", options };
  } catch (error) {
    log().error({ err: error, userId }, "the options of a passkey could not be made");
    return { kind: "failed" };
  }
}

/** The outcome of adding a passkey. */
export type RegistrationOutcome =
  | { kind: "added" }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/**
 * Adds a new passkey, named after the browser, and notifies the owner by mail. An account has at most 20, even if
 * several are added at once. The caller has verified the user's identity. Never throws.
 */
export async function registerPasskey(
  userId: string,
  { sent, challenge }: { sent: FieldValue; challenge: Challenge | null },
  browser: { clientAddress: string | undefined; userAgent: string | null },
): Promise<RegistrationOutcome> {
  if (!challenge) return { kind: "rejected", message: CHALLENGE_OVER };
  try {
    const credential = await verifiedCredential(sent, challenge);
    if (!credential) return { kind: "rejected", message: NOT_VERIFIED };
    const name = defaultName(browser.userAgent);
    const added = await addPasskey({ ...credential, userId, name }, challenge);
    if (added !== "inserted") return { kind: "rejected", message: REJECTIONS[added] };
    const { narrow: network } = clientNetworks(browser.clientAddress);
    logSecurityEvent("passkey-added", { userId, network }, "passkey added");
    wakeMailWorker();
    return { kind: "added" };
  } catch (error) {
    log().error({ err: error, userId }, "a passkey could not be added");
    return { kind: "failed" };
  }
}

const REJECTIONS = {
  used: ALREADY_USED,
  taken: TAKEN,
  "too-many": TOO_MANY,
  "no-user": NOT_VERIFIED,
} as const;

type NewPasskey = Parameters<typeof insertPasskey>[0];

function addPasskey(
  passkey: NewPasskey,
  challenge: Challenge,
): Promise<keyof typeof REJECTIONS | "inserted"> {
  const { userId, name } = passkey;
  return db()
    .transaction(async (tx) => {
      const inserted = await insertPasskey(passkey, MAX_PASSKEYS, tx);
      // a rejected passkey must not spend the challenge
      if (inserted !== "inserted") return inserted;
      if (!(await spendChallenge(hashToken(challenge.value), challenge.expiresAt, tx))) {
        throw new ChallengeUsed();
      }
      await enqueuePasskeyNotice({ userId, kind: "passkey-added", name }, tx);
      return "inserted" as const;
    })
    .catch((error: unknown) => {
      if (error instanceof ChallengeUsed) return "used" as const;
      throw error;
    });
}

/** Rolls back the transaction if the challenge was already used. */
class ChallengeUsed extends Error {}

/** Returns the credential in a registration response; null unless it is genuine and answers this challenge. */
async function verifiedCredential(
  sent: FieldValue,
  challenge: Challenge,
): Promise<Pick<NewPasskey, "id" | "publicKey" | "counter" | "transports"> | null> {
  const parsed = registrationSchema.safeParse(readAnswer(sent));
  if (!parsed.success) return null;
  const { transports, ...response } = parsed.data.response;
  const { id: rpID, origin } = relyingParty();
  try {
    if (!isUnattested(response.attestationObject)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...parsed.data, response, clientExtensionResults: {} },
      expectedChallenge: challenge.value,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey), counter, transports };
  } catch (error) {
    log().debug({ reason: (error as Error).name }, "a passkey's registration was not genuine");
    return null;
  }
}

/**
 * Returns whether a response contains no certificates. None are requested. To check unrequested ones, the library
 * would fetch revocation lists from URLs in them.
 */
function isUnattested(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(
    new Uint8Array(Buffer.from(attestationObject, "base64url")),
  );
  const format = decoded.get("fmt");
  return format === "none" || (format === "packed" && !decoded.get("attStmt").get("x5c"));
}

function defaultName(userAgent: string | null): string {
  return deviceName(deviceOf(userAgent), "A passkey").slice(0, PASSKEY_NAME_MAX_LENGTH);
}
