import { sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db } from "../client";
import { mails, profiles, subscribers, suppressedAddresses, users } from "../schema";
import { isUnpaid } from "./profiles";

/** A number of rows by what they have in common. */
export type Figure = {
  figure: "mails" | "accounts" | "members" | "subscribers";
  lane: string;
  state: string;
  count: number;
};

/** Time limit of counting, in milliseconds: a figure is not worth more of the database's time. */
const TIMEOUT_MS = 3_000;

/**
 * Counts what the metrics show: unfinished mails and those that failed within seven days, accounts, members by what
 * comes of their membership, and the newsletter's list. Reads each table once. Rejects if that takes over 3 s.
 */
export async function readFigures(): Promise<Figure[]> {
  return db().transaction(async (transaction) => {
    await transaction.execute(sql.raw(`set local statement_timeout = ${TIMEOUT_MS}`));
    return transaction.execute<Figure>(sql`
      select 'mails' as figure, case when campaign_id is null then 'transactional' else 'campaign' end as lane,
        case when state = 'queued' and due_at > now() then 'deferred' when state = 'queued' then 'due' else state end
          as state, count(*)::int as count
      from ${mails}
      where state in ('queued', 'sending') or (state = 'failed' and finished_at > now() - interval '7 days')
      group by 2, 3
      union all
      select 'accounts', '', case when email_confirmed_at is null then 'unconfirmed' else 'confirmed' end,
        count(*)::int
      from ${users} group by 3
      union all
      select 'members', '', state, count(*)::int from (
        select case
          when access_withdrawn is not null then 'withdrawn'
          when stripe_price_id is null or stripe_current_period_end is null
            or stripe_current_period_end <= now() then null
          when ${isUnpaid()} then 'complimentary'
          when stripe_subscription_status in ('past_due', 'unpaid', 'incomplete') then 'unpaid'
          when stripe_cancel_at_period_end or stripe_cancel_at is not null then 'ending'
          else 'renewing' end as state
        from ${profiles}) as memberships
      where state is not null group by 3
      union all
      select 'subscribers', '', case
          when ${suppressedAddresses.reason} is not null then 'suppressed'
          when ${subscribers.confirmedAt} is null then 'unconfirmed' else 'confirmed' end,
        count(*)::int
      from ${subscribers} left join ${suppressedAddresses}
        on ${suppressedAddresses.addressHash} = ${addressHash(subscribers.email)}
      group by 3`);
  });
}
