import type { MembershipProblem, MembershipStatus } from "~/features/membership/membership-state";
import type { ShownPrice } from "~/features/membership/premium-price";

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
  status: MembershipStatus;
  problem: MembershipProblem | null;
  /** What this member pays; null for no member, or where no amount can be named. */
  price: ShownPrice | null;
  /** Whether there are invoices, and so something to see in Stripe's portal. */
  hasInvoices: boolean;
};

export type Viewer = { user: AuthUser; profile: ViewerProfile | null; isSubscribed: boolean };
