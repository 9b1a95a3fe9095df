import { insertListedSubscribers, type ListingOutcome } from "~db/queries/subscriber-lists";
import { SUPPRESSION_REASONS } from "~db/suppression-reasons";
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

/** What became of an address, to follow it in a sentence for the operator or an author. */
export function describeListing(outcome: ListingOutcome): string {
  switch (outcome.kind) {
    case "added":
      return "is on the list.";
    case "confirmed":
      return "was waiting to be confirmed, and is on the list.";
    case "repeated":
    case "known":
      return "was already on the list; nothing was changed.";
    case "suppressed":
      return `was not added: ${SUPPRESSION_REASONS[outcome.reason].words}. Its owner can subscribe on the site, and confirm.`;
  }
}
