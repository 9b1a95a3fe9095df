import type { ClientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import { replacePasswordHash } from "~db/queries/users";
import { hashPassword, needsRehash } from "./password.server";
import type { VerifiedUser } from "./sessions.server";

/**
 * Rehashes a verified password if its hash was created with outdated parameters. Nothing is written if the
 * password has been changed meanwhile. Never throws: the next sign-in tries again.
 */
export async function renewHash(
  { id, passwordHash }: VerifiedUser,
  password: unknown,
  network: ClientNetworks,
): Promise<void> {
  if (typeof password !== "string" || !needsRehash(passwordHash)) return;
  try {
    const to = await hashPassword(password, network);
    if (await replacePasswordHash(id, { from: passwordHash, to })) {
      log().info({ userId: id }, "password hash renewed with the current parameters");
    }
  } catch (error) {
    log().warn({ userId: id, err: error }, "a password hash could not be renewed");
  }
}
