import { firstProblem, newPasswordSchema } from "~/features/accounts/credentials";
import { hashPassword, isGuessable } from "~/features/accounts/password.server";
import { enqueuePasswordChanged } from "~/features/accounts/password-changed-notice.server";
import {
  type SignedIn,
  type VerificationOutcome,
  verifyIdentity,
} from "~/features/accounts/verify-identity.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { deletePasswordReset } from "~db/queries/password-resets";
import { deleteOtherSessions } from "~db/queries/sessions";
import { findEmailOfUser, replacePasswordHash } from "~db/queries/users";

export type PasswordChangeOutcome =
  | { kind: "changed" }
  | Exclude<VerificationOutcome, { kind: "verified" }>;

/**
 * Changes a password, given the old one. Ends every other session and any open reset link, and notifies the owner by
 * mail. The caller limits the attempts. Never throws.
 */
export async function changePassword(
  account: SignedIn,
  { password, newPassword }: { password: FieldValue; newPassword: FieldValue },
  clientAddress: string | undefined,
): Promise<PasswordChangeOutcome> {
  const parsed = newPasswordSchema.safeParse(newPassword);
  if (!parsed.success) return { kind: "rejected", message: firstProblem(parsed.error) };
  if (!password) return { kind: "rejected", message: "Please enter your current password." };
  const { userId, tokenHash } = account;
  const network = clientNetworks(clientAddress);
  try {
    // retry if the hash was replaced meanwhile, perhaps by a rehash of the same password
    for (let attempt = 1; attempt <= 2; attempt++) {
      const verified = await verifyIdentity(account, password, clientAddress);
      if (verified.kind !== "verified") return verified;
      const hashes = {
        from: verified.passwordHash,
        to: await hashPassword(parsed.data, network),
        isPasswordGuessable: await isGuessable(parsed.data, account.email),
      };
      if (!(await replacePassword({ userId, tokenHash }, hashes))) continue;
      const facts = { userId, network: network.narrow };
      logSecurityEvent("password-changed", facts, "password changed");
      wakeMailWorker();
      return { kind: "changed" };
    }
    return { kind: "rejected", message: "Your password was just changed elsewhere." };
  } catch (error) {
    if (error instanceof QueueFull) return { kind: "busy" };
    log().error({ err: error, userId }, "a password could not be changed");
    return { kind: "failed" };
  }
}

/** Replaces the hash; returns false and writes nothing if the verified password is no longer current. */
function replacePassword(
  { userId, tokenHash }: { userId: string; tokenHash: string },
  hashes: Parameters<typeof replacePasswordHash>[1],
): Promise<boolean> {
  return db().transaction(async (tx) => {
    if (!(await replacePasswordHash(userId, hashes, tx))) return false;
    await deleteOtherSessions(userId, tokenHash, tx);
    await deletePasswordReset(userId, tx);
    const to = await findEmailOfUser(userId, tx);
    if (to) await enqueuePasswordChanged({ userId, to, by: "change" }, tx);
    return true;
  });
}
