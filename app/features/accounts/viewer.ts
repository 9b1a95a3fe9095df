import type { MembershipProblem, MembershipStatus } from "~/features/membership/membership-state";
import type { ShownPayment } from "~/features/membership/next-payment";

/** The part of a signed-in user that the browser may know (specification, 3: User). */
export type AuthUser = {
  id: string;
  email: string;
  /** The address as people write it, for pages. */
  readableEmail: string;
  user_metadata: { avatar_url: string | null };
};

/** The part of a profile the pages show. */
export type ViewerProfile = {
  stripe_price_id: string | null;
  /** The end of access, as an ISO 8601 instant. */
  stripe_current_period_end: string | null;
  status: MembershipStatus;
  problem: MembershipProblem | null;
  nextPayment: ShownPayment | null;
  /** Whether a bank debit is on its way. */
  isPaymentPending: boolean;
  /** Stripe's page on which the holder has to confirm a payment; null if there is none. */
  confirmPaymentUrl: string | null;
  /** Whether Stripe's portal has invoices to show. */
  hasInvoices: boolean;
};

export type Viewer = { user: AuthUser; profile: ViewerProfile | null; isSubscribed: boolean };
