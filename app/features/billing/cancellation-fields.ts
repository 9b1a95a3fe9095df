/** The statements that § 312k (2) BGB names, with their labels on the page and in the mails. */
export const CANCELLATION_FIELDS = {
  kind: "Kind of cancellation",
  reason: "Reason, if it is an important one",
  name: "Name",
  contract: "Contract",
  endsOn: "Last day",
  email: "Email",
} as const;

export const CANCELLATION_KINDS = ["ordinary", "for an important reason"] as const;

/** The longest statement, in characters. */
export const CANCELLATION_MAX_LENGTH = 500;

/** A declaration as received, for its page and its mails. */
export type ReceivedCancellation = { receivedAt: string; facts: { name: string; value: string }[] };
