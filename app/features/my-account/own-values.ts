import type { OwnValues } from "~/http/route-handle";
import type { AccountView } from "./account-view.server";

/** What of the account page nobody else has: its picture, ids, and the days of what it lists. */
export function accountOwnValues({ picture, passkeys, sessions }: AccountView): OwnValues {
  return {
    texts: [picture, ...passkeys.map(({ id }) => id), ...sessions.map(({ id }) => id)],
    instants: [
      ...passkeys.flatMap(({ createdAt, lastUsedAt }) => [createdAt, lastUsedAt]),
      ...sessions.flatMap(({ firstSeen, lastSeen }) => [firstSeen, lastSeen]),
    ],
  };
}
