import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { closeSession } from "./sessions.server";

/** Ends a token's session, if any; "failed" if its row cannot be deleted. */
export async function signOut(
  session: string | null,
): Promise<{ kind: "signed-out"; userId: string | null } | { kind: "failed" }> {
  try {
    const userId = await closeSession(session);
    if (userId) logSecurityEvent("signed-out", { userId }, "signed out");
    return { kind: "signed-out", userId };
  } catch (error) {
    log().error({ err: error }, "sign out failed");
    return { kind: "failed" };
  }
}
