import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Executor, type Transaction } from "../client";
import { mails, profiles, textAnnouncements, users } from "../schema";
import { givesAccess } from "./profiles";

/**
 * Records an edition's texts, and returns the ids of those to announce now: `waitMs` after the first of them was seen
 * published, so that texts of one hour go together. Each id is returned once, however many instances ask. An edition
 * of which no text is known is a first one, and what it publishes counts as announced.
 */
export async function takeTextsToAnnounce(
  { ids, published }: { ids: readonly string[]; published: readonly string[] },
  waitMs: number,
  tx: Transaction,
): Promise<string[]> {
  // nearly always there is nothing to do, and nothing is locked
  const [news] = await tx.execute(sql`
    select from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as text (id)
      left join ${textAnnouncements} known using (id)
    where known.id is null or (known.announced_at is null
      and id in (select jsonb_array_elements_text(${JSON.stringify(published)}::jsonb)))
    limit 1`);
  if (!news) return [];
  // one instance at a time, until the caller's transaction ends
  await tx.execute(sql`lock table ${textAnnouncements} in share row exclusive mode`);
  const { id, outAt, announcedAt } = textAnnouncements;
  const isFirst = (await tx.$count(textAnnouncements, inArray(id, [...ids]))) === 0;
  await tx
    .insert(textAnnouncements)
    .values(ids.map((each) => ({ id: each })))
    .onConflictDoNothing();
  const isOut = inArray(id, [...published]);
  await tx
    .update(textAnnouncements)
    .set({ outAt: sql`now()`, announcedAt: isFirst ? sql`now()` : null })
    .where(and(isOut, isNull(outAt)));
  const isOpen = and(isOut, isNull(announcedAt));
  const [first] = await tx
    .select({ isDue: sql<boolean>`min(${outAt}) <= now() - ${waitMs} * interval '1 millisecond'` })
    .from(textAnnouncements)
    .where(isOpen);
  if (!first?.isDue) return [];
  const taken = await tx
    .update(textAnnouncements)
    .set({ announcedAt: sql`now()` })
    .where(isOpen)
    .returning({ id });
  return taken.map((row) => row.id);
}

/** The members with access who wish to be mailed about new texts; none can end that before the transaction ends. */
export function lockNewTextsReaders(tx: Transaction): Promise<{ id: string; email: string }[]> {
  return tx
    .select({ id: users.id, email: users.email })
    .from(users)
    .innerJoin(profiles, eq(profiles.id, users.id))
    .where(and(isNotNull(users.newTextsMailSince), givesAccess()))
    .for("share", { of: users });
}

/** Whether a user wishes to be mailed about new texts. */
export async function wantsNewTextsMail(userId: string): Promise<boolean> {
  return (
    (await db().$count(users, and(eq(users.id, userId), isNotNull(users.newTextsMailSince)))) > 0
  );
}

/** Stores whether a user wishes to be mailed about new texts; without, mails that wait are canceled. */
export async function setNewTextsMail(userId: string, isWanted: boolean): Promise<void> {
  await db().transaction(async (tx) => {
    const since = isWanted ? sql`coalesce(${users.newTextsMailSince}, now())` : null;
    const [user] = await tx
      .update(users)
      .set({ newTextsMailSince: since })
      .where(eq(users.id, userId))
      .returning({ email: users.email });
    if (user && !isWanted) await cancelNewTextsMails(user.email, tx);
  });
}

async function cancelNewTextsMails(email: string, tx: Executor): Promise<void> {
  await tx.execute(sql`
    update ${mails} set state = 'cancelled', finished_at = now(), recipient = null, message = null
    where state = 'queued' and campaign_id is null and kind = 'new-texts'
      and address_hash = ${addressHash(email)}`);
}
