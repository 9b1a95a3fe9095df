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
import { getDatabase } from "~db/client";
import { insertPasskey, listPasskeys, spendChallenge } from "~db/queries/passkeys";
import { deviceOf } from "../device.server";
import { deviceName } from "../device-name";
import { ALREADY_USED, CHALLENGE_OVER } from "./accept-assertion.server";
import { CHALLENGE_LIFETIME_MS, type Challenge } from "./challenge-cookie.server";
import { enqueuePasskeyNotice } from "./passkey-notice.server";
import { PASSKEY_NAME_MAX_LENGTH } from "./passkey-paths";
import {
  credentialIdSchema,
  hashChallenge,
  readAnswer,
  relyingParty,
  toDescriptor,
  userHandleOf,
} from "./relying-party.server";

/** Passkeys of one account. */
const MAX_PASSKEYS = 20;

const TOO_MANY = `You have ${MAX_PASSKEYS} passkeys already. Please remove one first.`;
const NOT_VERIFIED = "The passkey could not be added. Please try again.";
const TAKEN = "This passkey is registered already.";

/** EdDSA, ES256 and RS256 (IANA, COSE Algorithms), which every supported version of Node can verify. */
const ALGORITHMS = [-8, -7, -257];

const registrationSchema = z.object({
  id: credentialIdSchema,
  rawId: z.string(),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: z.string(),
    attestationObject: z.string(),
    // a browser may name ways of the future
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});

/** What a browser passes to its authenticators to make a passkey, or why there can be none. */
export type RegistrationOptionsOutcome =
  | { kind: "options"; options: PublicKeyCredentialCreationOptionsJSON }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Options for a passkey of a user, on an authenticator that holds none of theirs yet. Never throws. */
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
 * Adds the passkey that an authenticator has made for a challenge, named after the browser, and tells its owner by
 * mail. An account has at most 20, also if they are added at once. The caller has verified who it is. Never throws.
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
  return getDatabase()
    .db.transaction(async (tx) => {
      const inserted = await insertPasskey(passkey, MAX_PASSKEYS, tx);
      // nobody's challenge is used up by a passkey that was not added
      if (inserted !== "inserted") return inserted;
      if (!(await spendChallenge(hashChallenge(challenge.value), challenge.expiresAt, tx))) {
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

/** Undoes the transaction in which a challenge turns out to be used. */
class ChallengeUsed extends Error {}

/** The credential in an authenticator's answer; null unless the answer is genuine and to this challenge. */
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
 * Whether an answer holds no certificates. None are asked for, and to check those that somebody sends all the same
 * the library would fetch revocation lists from addresses in them.
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
