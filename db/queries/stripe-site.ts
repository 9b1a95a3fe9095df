import { isNull, sql } from "drizzle-orm";
import { db } from "../client";
import {
  debitsAfterDeletion,
  membershipGrants,
  type StripeSite,
  stripePrices,
  stripeSite,
} from "../schema";

/** How this site is known at Stripe; drawn once. */
export async function ensureStripeSite(): Promise<StripeSite> {
  const [known] = await db().select().from(stripeSite);
  if (known) return known;
  await db().insert(stripeSite).values({}).onConflictDoNothing();
  // another process may have been faster
  const [made] = await db().select().from(stripeSite);
  if (!made) throw new Error("There is no row in stripe_site.");
  return made;
}

/** Stores the address of the site that takes real payments, unless there is one; returns the one that counts. */
export async function claimLiveUrl(url: string): Promise<string> {
  const { liveUrl } = await ensureStripeSite();
  if (liveUrl !== null) return liveUrl;
  await db().update(stripeSite).set({ liveUrl: url }).where(isNull(stripeSite.liveUrl));
  return (await ensureStripeSite()).liveUrl ?? url;
}

/** Stores another address, and with `id` another id: the site has moved here, or continues the one with that id. */
export async function adoptStripeSite(liveUrl: string, id?: string): Promise<void> {
  await ensureStripeSite();
  await db()
    .update(stripeSite)
    .set({ liveUrl, ...(id ? { id } : {}) });
}

/**
 * Makes this database one of a new site: draws another id, and forgets every customer, membership and price of the
 * site it was copied from. Complimentary memberships stay. Returns how many accounts had a customer.
 */
export async function renewStripeSite(liveUrl: string): Promise<number> {
  return db().transaction(async (tx) => {
    await tx.delete(stripeSite);
    await tx.insert(stripeSite).values({ liveUrl });
    await tx.delete(stripePrices);
    await tx.delete(debitsAfterDeletion);
    const grant = sql`from ${membershipGrants} where user_id = profiles.id and until > now()`;
    const { count } = await tx.execute(sql`
      update profiles set stripe_customer_id = null, stripe_price_id = (select 'complimentary' ${grant}),
        stripe_current_period_end = (select until ${grant}),
        next_payment_at = null, next_payment_amount = null, next_payment_currency = null,
        stripe_subscription_id = null, stripe_subscription_status = null, stripe_cancel_at_period_end = false,
        stripe_cancel_at = null, access_withdrawn = null, second_subscription_id = null,
        is_payment_pending = false, confirm_payment_url = null,
        stripe_checkout_session_id = null, checkout_opened_at = null, sync_due_at = null,
        is_email_due_at_stripe = false, updated_at = now()
      where stripe_customer_id is not null`);
    return count;
  });
}
