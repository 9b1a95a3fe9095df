/** The thresholds beyond which the doctor reports something. */
export type Limits = {
  /** How long a session may wait for a lock, or hold one while it does nothing, in seconds. */
  stuckSeconds: number;
  /** Dead rows beyond which VACUUM has fallen behind, if they also outnumber the live ones. */
  deadRows: number;
  /** The age of the oldest transaction id; PostgreSQL stops at 2 billion (docs, 24.1.5). */
  transactionAge: number;
  /** The share of connections in use at which the next visitor may find none. */
  connectionsUsed: number;
  /** How long a trivial query may take, in milliseconds: a page sends several, one after another. */
  roundTripMs: number;
  /** How far clocks may be apart, in seconds: Stripe's signatures are valid for five minutes. */
  clockSeconds: number;
  /** The share of a disk that must be free, and the share below which that is urgent. */
  diskFree: number;
  diskFreeUrgent: number;
  /** How long transactional mail may be due, in seconds. */
  mailWaitSeconds: number;
};

export const LIMITS: Limits = {
  stuckSeconds: 30,
  deadRows: 50_000,
  transactionAge: 1_000_000_000,
  connectionsUsed: 0.8,
  roundTripMs: 50,
  clockSeconds: 30,
  diskFree: 0.1,
  diskFreeUrgent: 0.05,
  mailWaitSeconds: 15 * 60,
};
