import type { OwnValues } from "~/http/route-handle";
import type { AccountView } from "./account-view.server";

/**
 * What of the account page nobody else has: its picture, the ids of sessions, and the days of what it lists. Ids of passkeys
 * are made up by whatever software their owner uses.
 */
export function accountOwnValues({ picture, passkeys, sessions }: AccountView): OwnValues {
  return {
    texts: [picture, ...sessions.map(({ id }) => id)],
    instants: [
      ...passkeys.flatMap(({ createdAt, lastUsedAt }) => [createdAt, lastUsedAt]),
      ...sessions.flatMap(({ firstSeen, lastSeen }) => [firstSeen, lastSeen]),
    ],
  };
}
