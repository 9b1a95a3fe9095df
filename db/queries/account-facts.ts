import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedQuery } from "../prepared-query";
import { avatars, emailChanges, subscribers, users } from "../schema";

/** What the account page says about an account, beside what it lists. */
export type AccountFacts = {
  emailConfirmedAt: Date | null;
  /** The address that waits to be confirmed in the place of the account's; null for none. */
  waitingEmail: string | null;
  /** Null if the account's address is not on the list of subscribers. */
  subscriber: { confirmedAt: Date | null } | null;
  /** The hash of the large picture, in hexadecimal; null for none. */
  largePicture: string | null;
};

const factsOf = preparedQuery((executor) =>
  executor
    .select({
      emailConfirmedAt: users.emailConfirmedAt,
      waitingEmail: emailChanges.newEmail,
      subscriber: { id: subscribers.id, confirmedAt: subscribers.confirmedAt },
      largePicture: avatars.largeSha256,
    })
    .from(users)
    .leftJoin(
      emailChanges,
      and(
        eq(emailChanges.userId, users.id),
        isNull(emailChanges.changedAt),
        gt(emailChanges.expiresAt, sql`${sql.placeholder("now")}`),
      ),
    )
    .leftJoin(subscribers, eq(sql`lower(${subscribers.email})`, sql`lower(${users.email})`))
    .leftJoin(avatars, eq(avatars.userId, users.id))
    .where(eq(users.id, sql.placeholder("userId")))
    .prepare("find_account_facts"),
);

/** In one statement; null if there is no such account (any more). */
export async function findAccountFacts(
  userId: string,
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<AccountFacts | null> {
  const [facts] = await factsOf(executor).execute({ userId, now: now.toISOString() });
  return facts ?? null;
}
