import type { ClientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import { renewPasswordHash } from "~db/queries/users";
import { hashPassword, needsRehash } from "./password.server";
import type { VerifiedUser } from "./sessions.server";

/**
 * Hashes a verified password anew if its hash was made under other parameters than today's. Nothing is
 * written when the password was changed meanwhile. Never throws: the next sign-in tries again.
 */
export async function renewHash(
  { id, passwordHash }: VerifiedUser,
  password: unknown,
  network: ClientNetworks,
): Promise<void> {
  if (typeof password !== "string" || !needsRehash(passwordHash)) return;
  try {
    const to = await hashPassword(password, network);
    if (await renewPasswordHash(id, { from: passwordHash, to })) {
      log().info({ userId: id }, "password hash renewed under today's parameters");
    }
  } catch (error) {
    log().warn({ userId: id, err: error }, "a password hash could not be renewed");
  }
}
