import { sql } from "drizzle-orm";
import {
  avatars,
  emailChanges,
  type Passkey,
  passkeys,
  type Session,
  sessions,
  subscribers,
  users,
} from "../schema";
import { dateOf, type JsonInstant, type ViewerDetail } from "./viewer-details";

/** A session as its owner sees it, without what gives access. */
export type ListedSession = Pick<Session, "id" | "browser" | "system" | "createdAt" | "lastSeenAt">;

/** What the account page says about an account. */
export type AccountFacts = {
  emailConfirmedAt: Date | null;
  /** The address that waits to be confirmed in the place of the account's; null for none. */
  waitingEmail: string | null;
  /** Null if the account's address is not on the list of subscribers. */
  subscriber: { confirmedAt: Date | null } | null;
  /** The hash of the large picture, in hexadecimal; null for none. */
  largePicture: string | null;
  /** Those that have not expired, the last seen first. */
  sessions: ListedSession[];
  /** In the order in which they were added. */
  passkeys: Pick<Passkey, "id" | "name" | "createdAt" | "lastUsedAt">[];
};

type SessionInJson = [
  id: string,
  browser: string | null,
  system: string | null,
  createdAt: JsonInstant,
  lastSeenAt: JsonInstant,
];

type PasskeyInJson = [
  id: string,
  name: string,
  createdAt: JsonInstant,
  lastUsedAt: JsonInstant | null,
];

type FactsInJson = [
  emailConfirmedAt: JsonInstant | null,
  waitingEmail: string | null,
  isSubscriber: boolean,
  confirmedAt: JsonInstant | null,
  largePicture: string | null,
  sessions: SessionInJson[],
  passkeys: PasskeyInJson[],
];

/** As of an instant, with at most `sessionLimit` sessions; null if there is no such account (any more). */
export const accountFacts = ({
  asOf,
  sessionLimit,
}: {
  asOf: Date;
  sessionLimit: number;
}): ViewerDetail<AccountFacts | null> => ({
  name: "account_facts",
  json: (userId) => {
    const instant = sql`${sql.placeholder("asOf")}::timestamptz`;
    return sql`(
      select json_build_array(
        ${users.emailConfirmedAt}, ${emailChanges.newEmail},
        ${subscribers.id} is not null, ${subscribers.confirmedAt}, ${avatars.largeSha256},
        (select coalesce(json_agg(json_build_array(id, browser, system, created_at, last_seen_at)), '[]')
          from (
            select * from ${sessions} where user_id = ${users.id} and expires_at > ${instant}
            order by last_seen_at desc, created_at desc, id
            limit ${sql.placeholder("sessionLimit")}::int) listed),
        (select coalesce(json_agg(json_build_array(id, name, created_at, last_used_at) order by created_at, id), '[]')
          from ${passkeys} where user_id = ${users.id}))
      from ${users}
      left join ${emailChanges} on ${emailChanges.userId} = ${users.id}
        and ${emailChanges.changedAt} is null and ${emailChanges.expiresAt} > ${instant}
      left join ${subscribers} on lower(${subscribers.email}) = lower(${users.email})
      left join ${avatars} on ${avatars.userId} = ${users.id}
      where ${users.id} = ${userId})`;
  },
  values: { asOf: asOf.toISOString(), sessionLimit },
  read: (json) => (json ? factsOf(json as FactsInJson) : null),
});

function factsOf([
  emailConfirmedAt,
  waitingEmail,
  isSubscriber,
  confirmedAt,
  largePicture,
  listedSessions,
  addedPasskeys,
]: FactsInJson): AccountFacts {
  return {
    emailConfirmedAt: dateOf(emailConfirmedAt),
    waitingEmail,
    subscriber: isSubscriber ? { confirmedAt: dateOf(confirmedAt) } : null,
    largePicture,
    sessions: listedSessions.map(([id, browser, system, createdAt, lastSeenAt]) => ({
      ...{ id, browser, system },
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
    })),
    passkeys: addedPasskeys.map(([id, name, createdAt, lastUsedAt]) => ({
      ...{ id, name },
      createdAt: new Date(createdAt),
      lastUsedAt: dateOf(lastUsedAt),
    })),
  };
}
