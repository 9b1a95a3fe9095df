import { type SQL, sql } from "drizzle-orm";

type SuppressionRules = {
  /** Why, in words for the operator. */
  words: string;
  /**
   * 0 if mail cannot be delivered: the address stays on the list, and the operator may lift it. Higher if it is the
   * owner's wish: the address leaves the list, and only its owner may lift it. A reason replaces one of a lower rank.
   */
  rank: 0 | 1 | 2;
  /** Whether notices stop too, and not only the newsletter. Nothing stops mail that its owner has just requested. */
  stopsNotices: boolean;
};

/** Each reason for which an address is suppressed, and what follows. All of them keep it out of imports. */
export const SUPPRESSION_REASONS = {
  "hard-bounce": { words: "mail to it is refused for good", rank: 0, stopsNotices: true },
  listed: { words: "it is listed as undeliverable", rank: 0, stopsNotices: true },
  unsubscribed: { words: "its owner unsubscribed", rank: 1, stopsNotices: false },
  complaint: { words: "its owner complained", rank: 2, stopsNotices: true },
} as const satisfies Record<string, SuppressionRules>;

export type SuppressionReason = keyof typeof SUPPRESSION_REASONS;

/** Whether a reason is the owner's own wish. */
export const isOwnersWish = ({ rank }: SuppressionRules) => rank > 0;

/** Whether a column holds a reason of these rules, in SQL. */
export function isReasonThat(column: SQL, follows: (rules: SuppressionRules) => boolean): SQL {
  const reasons = Object.entries(SUPPRESSION_REASONS).filter(([, rules]) => follows(rules));
  return sql`${column} = any(${`{${reasons.map(([reason]) => reason).join()}}`}::text[])`;
}
