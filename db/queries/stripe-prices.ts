import { eq } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { type StripePrice, stripePrices } from "../schema";

export async function findStripePrice(id: string): Promise<StripePrice | null> {
  return firstRow(db().select().from(stripePrices).where(eq(stripePrices.id, id)).limit(1));
}

/** Stores a price unless it is already stored: what is stored of a price cannot change at Stripe. */
export async function insertStripePrice(
  price: StripePrice,
  executor: Executor = db(),
): Promise<void> {
  await executor
    .insert(stripePrices)
    .values(price)
    .onConflictDoNothing({ target: stripePrices.id });
}
