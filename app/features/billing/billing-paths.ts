/** The page to change the payment card or manage the membership; mails link to it. */
export const CARD_PATH = "/billing/card";
