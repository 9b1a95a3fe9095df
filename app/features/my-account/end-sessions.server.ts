import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { deletePodcastFeed } from "~db/queries/podcast-feeds";
import { deleteOtherSessions, deleteSessionOfUser } from "~db/queries/sessions";

/** The outcome of ending sessions. A session that does not exist counts as ended. */
export type EndSessionsOutcome = { kind: "ended" } | { kind: "failed" };

/** Ends one of a user's sessions, by its id. Never throws. */
export async function endSession(userId: string, id: FieldValue): Promise<EndSessionsOutcome> {
  const parsed = z.uuid().safeParse(id);
  if (!parsed.success) return { kind: "failed" };
  return logged(userId, async () => ((await deleteSessionOfUser(userId, parsed.data)) ? 1 : 0));
}

/** Ends every session of a user but the one with this token's hash; null ends all of them. Never throws. */
export function endOtherSessions(
  userId: string,
  keptTokenHash: string | null,
): Promise<EndSessionsOutcome> {
  return logged(userId, () => deleteOtherSessions(userId, keptTokenHash));
}

/** Removes a user's podcast address, so that nobody can listen with it. Never throws. */
export async function removePodcastAddress(userId: string): Promise<EndSessionsOutcome> {
  try {
    const removed = await deletePodcastFeed(userId);
    if (removed) logSecurityEvent("podcast-address-removed", { userId }, "podcast address removed");
    return { kind: "ended" };
  } catch (error) {
    log().error({ err: error, userId }, "a podcast address could not be removed");
    return { kind: "failed" };
  }
}

async function logged(userId: string, end: () => Promise<number>): Promise<EndSessionsOutcome> {
  try {
    const count = await end();
    if (count > 0) logSecurityEvent("sessions-ended", { userId, count }, "sessions ended");
    return { kind: "ended" };
  } catch (error) {
    log().error({ err: error, userId }, "sessions could not be ended");
    return { kind: "failed" };
  }
}
