/** The account page's part about the membership. */
export const MEMBERSHIP_PATH = "/account#membership";

/** The public page to cancel without signing in (§ 312k BGB), with `CANCELLATION_PAGE`. */
export const CANCELLATION_PATH = "/cancellation";

/** The page to change the payment card or manage the membership; mails link to it. */
export const CARD_PATH = "/billing/card";
