import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { findUsersWithEndedAccess } from "~db/queries/profiles";
import { type CommunityMember, signedPayload } from "./discourse-connect.server";

/** Timeout of a call to Discourse, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** How far back to look for ended memberships, in milliseconds; several times the hourly interval. */
const LOOK_BACK_MS = 26 * 60 * 60 * 1000;

/** Maximum ended memberships per run. */
const MAX_REPORTED = 500;

/** Logs a user out of the community, if they are known there: the site's own log-out does not depend on it. */
export function logOutOfCommunity(userId: string): Promise<void> {
  return withKnownUser(userId, "could not be logged out of the community", (discourseId) =>
    call("POST", `/admin/users/${discourseId}/log_out.json`),
  );
}

/**
 * Anonymizes a deleted account's user in the community. Removes name, address and profile, keeps their posts under a
 * made-up name, and logs them out.
 */
export function forgetInCommunity(userId: string): Promise<void> {
  return withKnownUser(
    userId,
    "a deleted account could not be anonymized in the community: do so there, for the user with this external id",
    (discourseId) => call("PUT", `/admin/users/${discourseId}/anonymize.json`),
    "error",
  );
}

/**
 * Does work for a user who is known in the community. Does nothing without an API key. Logs a failure, with what the
 * operator can do.
 */
async function withKnownUser(
  userId: string,
  failure: string,
  work: (discourseId: number) => Promise<unknown>,
  level: "warn" | "error" = "warn",
): Promise<void> {
  if (!env().COMMUNITY?.apiKey) return;
  try {
    const discourseId = await findDiscourseId(userId);
    if (discourseId !== null) await work(discourseId);
  } catch (error) {
    log()[level]({ err: error, userId }, failure);
  }
}

async function findDiscourseId(userId: string): Promise<number | null> {
  const found = await call("GET", `/users/by-external/${encodeURIComponent(userId)}.json`);
  const id = (found as { user?: { id?: unknown } } | null)?.user?.id;
  return typeof id === "number" ? id : null;
}

/**
 * Removes users whose membership has recently ended from the members' group, and logs them out. Called every hour;
 * idempotent. Handles no further user once `stopping` is aborted.
 */
export async function endCommunityAccess(now = new Date(), stopping?: AbortSignal): Promise<void> {
  if (!env().COMMUNITY?.apiKey) return;
  const since = new Date(now.getTime() - LOOK_BACK_MS);
  for (const user of await findUsersWithEndedAccess(since, MAX_REPORTED)) {
    if (stopping?.aborted) return;
    await leaveGroup(user);
    await logOutOfCommunity(user.id);
  }
}

/** An update would create an account for a user who has never been there. */
function leaveGroup(member: CommunityMember): Promise<void> {
  return withKnownUser(member.id, "could not be taken out of the community's group", () =>
    call("POST", "/admin/users/sync_sso", signedPayload(member, { isMember: false })),
  );
}

/** Calls Discourse's API (https://docs.discourse.org). Returns the response's JSON; null for 404. */
async function call(
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: URLSearchParams,
): Promise<unknown> {
  const { COMMUNITY } = env();
  if (!COMMUNITY?.apiKey) throw new Error("There is no API key for the community.");
  const response = await fetch(COMMUNITY.origin + path, {
    method,
    body,
    headers: { "Api-Key": COMMUNITY.apiKey, "Api-Username": "system", Accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 404) {
    await response.body?.cancel();
    return null;
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`Discourse answered ${response.status} to ${method} ${path}.`);
  return JSON.parse(text);
}
