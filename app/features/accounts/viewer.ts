/** The signed-in visitor as the browser may know them (specification, 3: User). */
export type AuthUser = {
  id: string;
  email: string;
  user_metadata: { avatar_url: string | null };
};

/** The part of a profile the pages show. */
export type ViewerProfile = {
  stripe_price_id: string | null;
  /** ISO 8601 instant at which access ends. */
  stripe_current_period_end: string | null;
  cancelAtPeriodEnd: boolean;
  pastDue: boolean;
  /** Whether there is a Stripe customer, and so a billing portal to open. */
  hasCustomer: boolean;
};

export type Viewer = { user: AuthUser; profile: ViewerProfile | null; isSubscribed: boolean };
