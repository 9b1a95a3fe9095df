import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { listPasskeys } from "~db/queries/passkeys";
import { updateSession } from "~db/queries/sessions";
import { openSession } from "../sessions.server";
import type { SignedIn } from "../verify-identity.server";
import { acceptAssertion, assertionOptions, CHALLENGE_OVER } from "./accept-assertion.server";
import type { Challenge } from "./challenge-cookie.server";

/** A browser's assertion and its challenge; null if the challenge is missing or expired. */
export type SentAssertion = { sent: FieldValue; challenge: Challenge | null };

/** The outcome of signing in with a passkey. */
export type PasskeySignInOutcome =
  /** `session` is the token of the session that was opened. */
  | { kind: "signed-in"; userId: string; email: string; session: string }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Signs in a passkey's owner. The caller limits the attempts. Never throws. */
export async function signInWithPasskey(
  { sent, challenge }: SentAssertion,
  browser: {
    clientAddress: string | undefined;
    /** The token of its current session, which the new one replaces. */
    session: string | null;
    userAgent: string | null;
    /** Whether it has signed in to the account with this address before. */
    isKnownTo: (email: string) => Promise<boolean>;
  },
): Promise<PasskeySignInOutcome> {
  const network = clientNetworks(browser.clientAddress).narrow;
  const reject = (message: string, userId: string | null) => {
    const facts = { way: "login", by: "passkey", userId, network };
    logSecurityEvent("sign-in-failed", facts, "sign-in rejected");
    return { kind: "rejected", message } as const;
  };
  if (!challenge) return reject(CHALLENGE_OVER, null);
  try {
    const { session: before, userAgent, clientAddress } = browser;
    const outcome = await acceptAssertion({ sent, challenge }, (user, tx) =>
      openSession(user, before, { userAgent, clientAddress, verifiedBy: "passkey" }, tx),
    );
    if (outcome.kind === "rejected") return reject(outcome.message, outcome.userId);
    const { user, result: session } = outcome;
    if (!session) throw new Error("The password changed although its row was locked.");
    const knownBrowser = await browser.isKnownTo(user.email);
    const facts = { userId: user.id, network, knownBrowser, by: "passkey" };
    logSecurityEvent("signed-in", facts, "signed in");
    return { kind: "signed-in", userId: user.id, email: user.email, session };
  } catch (error) {
    log().error({ err: error }, "login with a passkey failed");
    return { kind: "failed" };
  }
}

/** The options with which a browser uses one of a user's passkeys. */
export type VerificationOptionsOutcome =
  | { kind: "options"; options: Awaited<ReturnType<typeof assertionOptions>> }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Returns the options to verify a user's identity with a passkey. Never throws. */
export async function verificationOptions(
  userId: string,
  challenge: Challenge,
): Promise<VerificationOptionsOutcome> {
  try {
    const passkeys = await listPasskeys(userId);
    // with an empty list, the browser would offer any passkey for this site, to be rejected later
    if (passkeys.length === 0) return { kind: "rejected", message: NO_PASSKEYS };
    return { kind: "options", options: await assertionOptions(challenge, passkeys) };
  } catch (error) {
    log().error({ err: error, userId }, "the options of a passkey could not be made");
    return { kind: "failed" };
  }
}

const NO_PASSKEYS = "You don’t have any passkeys. Please enter your password.";

/** The outcome of verifying a user's identity with a passkey. */
export type PasskeyVerificationOutcome =
  | { kind: "verified" }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/**
 * Verifies with a passkey that the owner is using a session, and records that. The caller limits the attempts. Never
 * throws.
 */
export async function verifyWithPasskey(
  { userId, tokenHash }: Pick<SignedIn, "userId" | "tokenHash">,
  { sent, challenge }: SentAssertion,
  clientAddress: string | undefined,
): Promise<PasskeyVerificationOutcome> {
  const reject = (message: string) => {
    const { narrow: network } = clientNetworks(clientAddress);
    const facts = { way: "verify", by: "passkey", userId, network };
    logSecurityEvent("sign-in-failed", facts, "a passkey was not confirmed");
    return { kind: "rejected", message } as const;
  };
  if (!challenge) return reject(CHALLENGE_OVER);
  try {
    const outcome = await acceptAssertion({ sent, challenge, onlyOf: userId }, (_user, tx) =>
      updateSession(tokenHash, { verifiedAt: new Date(), verifiedBy: "passkey" }, tx),
    );
    return outcome.kind === "accepted" ? { kind: "verified" } : reject(outcome.message);
  } catch (error) {
    log().error({ err: error, userId }, "a passkey could not be verified");
    return { kind: "failed" };
  }
}
