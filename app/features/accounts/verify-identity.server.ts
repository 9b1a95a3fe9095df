import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { isWithin } from "~db/clock";
import { type SessionState, updateSession } from "~db/queries/sessions";
import { findUserById } from "~db/queries/users";
import type { VerifiedBy } from "~db/schema";
import { verifyPassword } from "./password.server";

/** How long a session may take sensitive steps after a password or passkey was used, in milliseconds. */
const VERIFICATION_LIFETIME_MS = 10 * 60 * 1000;

/** Returns whether the session's user has entered the password or used a passkey in the last ten minutes. */
export function isRecentlyVerified(
  { verifiedAt, verifiedBy }: Pick<SessionState, "verifiedAt" | "verifiedBy">,
  by?: VerifiedBy,
): boolean {
  if (by && verifiedBy !== by) return false;
  return isWithin(verifiedAt, VERIFICATION_LIFETIME_MS);
}

/** A signed-in user, with their canonical address, and their session. */
export type SignedIn = {
  userId: string;
  email: string;
  tokenHash: string;
  session: SessionState;
};

/** The outcome of verifying a user's identity. */
export type VerificationOutcome =
  /** `passwordHash` is the user's current hash, however they were verified. */
  | { kind: "verified"; passwordHash: string }
  | { kind: "rejected"; message: string }
  /** Too many passwords are waiting to be hashed. */
  | { kind: "busy" }
  | { kind: "failed" };

/**
 * Verifies with the password that the owner is using a session, and records that. A passkey used in the last ten
 * minutes replaces the password. The caller limits the attempts. Never throws.
 */
export async function verifyIdentity(
  { userId, tokenHash, session }: Omit<SignedIn, "email">,
  password: FieldValue,
  clientAddress: string | undefined,
): Promise<VerificationOutcome> {
  const network = clientNetworks(clientAddress);
  try {
    const user = await findUserById(userId);
    if (!user) return { kind: "failed" };
    const { passwordHash } = user;
    if (!password && isRecentlyVerified(session, "passkey")) {
      return { kind: "verified", passwordHash };
    }
    if (!password) return { kind: "rejected", message: "Please enter your password." };
    const isRight =
      typeof password === "string" && (await verifyPassword(passwordHash, password, network));
    if (!isRight) {
      const facts = { way: "verify", userId, network: network.narrow };
      logSecurityEvent("sign-in-failed", facts, "a password was not confirmed");
      return { kind: "rejected", message: "That password isn’t right." };
    }
    await updateSession(tokenHash, { verifiedAt: new Date(), verifiedBy: "password" });
    return { kind: "verified", passwordHash };
  } catch (error) {
    if (error instanceof QueueFull) return { kind: "busy" };
    log().error({ err: error, userId }, "a password could not be verified");
    return { kind: "failed" };
  }
}
