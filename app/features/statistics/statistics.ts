/** Figures of one calendar month in UTC. Definitions: docs/members.md. */
export type MonthFigures = {
  /** Such as `2026-11`. */
  month: string;
  members: {
    /** At its end, or now. */
    count: number;
    joined: number;
    returned: number;
    left: number;
    /** Left, of those who were members when it began; null if nobody was. */
    churn: number | null;
  };
  /** Monthly recurring revenue at its end, or now: by currency, in the currency's minor unit. */
  revenue: Record<string, number>;
  newsletter: { count: number; joined: number; left: number };
  accounts: { count: number; joined: number; left: number };
  /** Visitors of each day, added up. */
  visitors: number;
  /** Renewals whose first charge failed, and those of any month that were paid after all. */
  renewals: { failed: number; recovered: number };
  /** Disputes of payments that were opened, and that ended. */
  disputes: { opened: number; ended: number };
  /** What most members marked as read, the first ten. */
  mostRead: { slug: string; title: string; members: number }[];
};

/** Of those who first became members in a month: the share who were members 0, 1, 2 … months later. */
export type Cohort = {
  month: string;
  size: number;
  /** Null where not all of them have joined so long ago. */
  retained: (number | null)[];
};

/** From visit to member, over some days. */
export type Funnel = {
  days: number;
  /** Visitors of each day, added up. */
  visitors: number;
  /** Those of them who saw the pages to log in and sign up. */
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
  funnel: Funnel;
};
