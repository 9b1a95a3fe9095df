import { insertListedSubscribers, type ListingOutcome } from "~db/queries/subscriber-lists";
import { unsubscribeTokenOf } from "./unsubscribe-token.server";

/** Adds a canonical address as confirmed and stores the source of its owner's consent. */
export async function addSubscriber(email: string, source: string): Promise<ListingOutcome> {
  const unsubscribeToken = await unsubscribeTokenOf(email);
  const now = new Date();
  const outcomes = await insertListedSubscribers([{ email, unsubscribeToken, consentAt: null }], {
    source,
    now,
  });
  return outcomes.get(email) ?? { kind: "known" };
}
