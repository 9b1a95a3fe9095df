/** Figures of one calendar month in UTC. Definitions: docs/members.md. */
export type MonthFigures = {
  /** Such as `2026-11`. */
  month: string;
  members: {
    /** At the month's end, or now. */
    count: number;
    joined: number;
    returned: number;
    left: number;
    /** Share of the members at the month's start who left; null if there were none. */
    churn: number | null;
  };
  /** Monthly recurring revenue at the month's end, or now: by currency, in its minor unit. */
  revenue: Record<string, number>;
  newsletter: { count: number; joined: number; left: number };
  accounts: { count: number; joined: number; left: number };
  /** Sum of each day's visitors. */
  visitors: number;
  /** Renewals whose first charge failed, and renewals of any month that were paid later. */
  renewals: { failed: number; recovered: number };
  /** Disputes opened and ended. */
  disputes: { opened: number; ended: number };
  /** Up to ten texts, those that most members marked as read. */
  mostRead: { slug: string; title: string; members: number }[];
};

/** Members who first joined in one month, and the share who were still members 0, 1, 2 … months later. */
export type Cohort = {
  month: string;
  size: number;
  /** Null until all of them joined that long ago. */
  retained: (number | null)[];
};

/** Steps from visit to member, over some days. */
export type Funnel = {
  days: number;
  /** Sum of each day's visitors. */
  visitors: number;
  /** Those who saw the log-in and sign-up pages. */
  authVisitors: number;
  accounts: number;
  /** Visitors who pressed the upgrade button. */
  upgradeVisitors: number;
  members: number;
};

/** The operator's statistics. */
export type Statistics = {
  at: string;
  /** Oldest first; the last one is not over. */
  months: MonthFigures[];
  /** Oldest first. */
  cohorts: Cohort[];
  /** Complimentary memberships now; they are no members above. */
  complimentary: number;
  /** Why members canceled, of memberships that ended in these months or will end: Stripe's words, commonest first. */
  reasons: { reason: string; members: number }[];
  funnel: Funnel;
};
