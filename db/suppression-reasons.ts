import { type SQL, sql } from "drizzle-orm";

type SuppressionRules = {
  /** Why, in words for the operator. */
  words: string;
  /** A reason replaces one of a lower rank; otherwise the first one stays. */
  rank: number;
  /** Whether notices stop too, and not only the newsletter. Nothing stops mail that its owner has just requested. */
  stopsNotices: boolean;
  /** Whether the address also leaves the newsletter's list. */
  leavesList: boolean;
  /** Whether the operator may lift it. Its owner always may, by subscribing and confirming. */
  liftedByOperator: boolean;
};

/** Each reason for which an address is suppressed, and what follows. All of them keep it out of imports. */
export const SUPPRESSION_REASONS = {
  "hard-bounce": {
    words: "mail to it is refused for good",
    rank: 0,
    stopsNotices: true,
    leavesList: false,
    liftedByOperator: true,
  },
  listed: {
    words: "it is listed as undeliverable",
    rank: 0,
    stopsNotices: true,
    leavesList: false,
    liftedByOperator: true,
  },
  unsubscribed: {
    words: "its owner unsubscribed",
    rank: 1,
    stopsNotices: false,
    leavesList: true,
    liftedByOperator: false,
  },
  complaint: {
    words: "its owner complained",
    rank: 2,
    stopsNotices: true,
    leavesList: true,
    liftedByOperator: false,
  },
} as const satisfies Record<string, SuppressionRules>;

export type SuppressionReason = keyof typeof SUPPRESSION_REASONS;

/** Whether a column holds a reason of these rules, in SQL. */
export function isReasonThat(
  column: SQL,
  follows: (rules: SuppressionRules, reason: SuppressionReason) => boolean,
): SQL {
  const reasons = (Object.keys(SUPPRESSION_REASONS) as SuppressionReason[]).filter((reason) =>
    follows(SUPPRESSION_REASONS[reason], reason),
  );
  return sql`${column} = any(${`{${reasons.join()}}`}::text[])`;
}
