import { insertListedSubscribers, type ListingOutcome } from "~db/queries/subscriber-lists";
import { unsubscribeTokenOf } from "./unsubscribe-token.server";

/** Adds an address in canonical form as confirmed, and keeps where its owner's consent comes from. */
export async function addSubscriber(email: string, source: string): Promise<ListingOutcome> {
  const unsubscribeToken = await unsubscribeTokenOf(email);
  const now = new Date();
  const outcomes = await insertListedSubscribers([{ email, unsubscribeToken }], { source, now });
  return outcomes.get(email) ?? { kind: "known" };
}
