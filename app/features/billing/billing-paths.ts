/** Where a member changes the payment card or manages the membership; mails link to it. */
export const CARD_PATH = "/billing/card";
