import {
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from "@simplewebauthn/server";
import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db, type Transaction } from "~db/client";
import { findPasskey, recordPasskeyUse, spendChallenge } from "~db/queries/passkeys";
import { holdUser } from "~db/queries/users";
import type { Passkey, User } from "~db/schema";
import { hashToken } from "../link-token.server";
import { CHALLENGE_LIFETIME_MS, type Challenge } from "./challenge-cookie.server";
import {
  credentialIdSchema,
  readAnswer,
  relyingParty,
  toDescriptor,
  userHandleOf,
} from "./relying-party.server";

/** Texts for rejected assertions. */
export const CHALLENGE_OVER =
  "That took too long, or your browser blocks cookies. Please try again.";
const NOT_VERIFIED = "Your passkey couldn’t be verified. Please try again.";
const UNKNOWN = "We don’t recognize this passkey. It may have been removed.";
export const ALREADY_USED = "This response was already used. Please try again.";
const COUNTER_REPLAYED =
  "This passkey wasn’t accepted because it may have been copied. Please use your password.";

const assertionSchema = z.object({
  id: credentialIdSchema,
  rawId: z.string(),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
    userHandle: z.string().nullish(),
  }),
});

type Assertion = z.infer<typeof assertionSchema>;

/** A rejected assertion: the text for the visitor, and the owner of the passkey it named. */
export type RejectedAssertion = { kind: "rejected"; message: string; userId: string | null };

/** The user whose passkey was accepted. */
export type AssertedUser = { id: string } & Pick<User, "email" | "passwordHash">;

/**
 * Returns the options a browser passes to its authenticators. Without `credentials`, they offer all passkeys for this
 * site.
 */
export function assertionOptions(
  challenge: Challenge,
  credentials: Pick<Passkey, "id" | "transports">[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: relyingParty().id,
    challenge: new Uint8Array(Buffer.from(challenge.value, "base64url")),
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: "required",
    allowCredentials: credentials.map(toDescriptor),
  });
}

/**
 * Verifies an authenticator's assertion and runs `work` for its user. The same transaction spends the challenge, so
 * `work` takes effect at most once per challenge. With `onlyOf`, only that user's passkeys are accepted. Throws PostgreSQL's errors and
 * those of `work`, and rolls back.
 */
export async function acceptAssertion<Result>(
  { sent, challenge, onlyOf }: { sent: FieldValue; challenge: Challenge; onlyOf?: string },
  work: (user: AssertedUser, tx: Transaction) => Promise<Result>,
): Promise<{ kind: "accepted"; user: AssertedUser; result: Result } | RejectedAssertion> {
  const parsed = assertionSchema.safeParse(readAnswer(sent));
  if (!parsed.success) return rejected(NOT_VERIFIED);
  const assertion = parsed.data;
  const passkey = await findPasskey(assertion.id);
  if (!passkey || (onlyOf && passkey.userId !== onlyOf)) return rejected(UNKNOWN);
  const { id, userId } = passkey;
  const counter = await verifiedCounter(assertion, passkey, challenge);
  if (counter === null) return rejected(NOT_VERIFIED, userId);

  return db().transaction(async (tx) => {
    // lock the user first, as in every transaction that locks both
    const held = await holdUser(userId, tx);
    if (!held) return rejected(UNKNOWN);
    if (!(await spendChallenge(hashToken(challenge.value), challenge.expiresAt, tx))) {
      return rejected(ALREADY_USED, userId);
    }
    if (!(await recordPasskeyUse({ id, userId, counter, at: new Date() }, tx))) {
      if (!(await findPasskey(id, tx))) return rejected(UNKNOWN, userId);
      logSecurityEvent("passkey-counter-replayed", { userId }, "a passkey's counter was replayed");
      return rejected(COUNTER_REPLAYED, userId);
    }
    const user = { id: userId, ...held };
    return { kind: "accepted", user, result: await work(user, tx) };
  });
}

/** Returns the signature counter of a genuine assertion; null if it is not genuine. */
async function verifiedCounter(
  assertion: Assertion,
  { id, userId, publicKey }: Passkey,
  challenge: Challenge,
): Promise<number | null> {
  const { userHandle } = assertion.response;
  if (userHandle && userHandle !== Buffer.from(userHandleOf(userId)).toString("base64url")) {
    return null;
  }
  const { id: rpID, origin } = relyingParty();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...assertion,
        response: { ...assertion.response, userHandle: userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge.value,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      // compared when it is written, since two assertions may arrive at once
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch (error) {
    // the library throws for any invalid assertion, and its message quotes it
    log().debug({ userId, reason: (error as Error).name }, "a passkey's answer was not genuine");
    return null;
  }
}

function rejected(message: string, userId: string | null = null): RejectedAssertion {
  return { kind: "rejected", message, userId };
}
