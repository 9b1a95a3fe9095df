/**
 * All that `stripe doctor` can advise, each a step that never makes things worse: a test follows every one
 * of them. What it is about, the finding says.
 */
export const ADVICE = {
  tryAgain: "Run 'stripe doctor' again; if that does not help, look at https://status.stripe.com.",
  givePermission:
    "Give the restricted key the permission in Stripe's dashboard (docs/going-live.md lists all).",
  checkKey:
    "Set STRIPE_SECRET_KEY to the key of the account and mode that STRIPE_PRICE_ID is from. Only if the key is the right one, run 'stripe setup' and set what it prints.",
  setUp: "Run 'stripe setup'.",
  setUpAndSet: "Run 'stripe setup', set what it prints, and start the site anew.",
  replaceEndpoint:
    "Run 'stripe setup', set what it prints, start the site anew, and run 'stripe setup' once more.",
  replaceSecret:
    "Run 'stripe setup --new-webhook-secret', set what it prints, start the site anew, and run 'stripe setup'.",
  markProduct:
    "Give the product the metadata app=the-golden-path in Stripe's dashboard, so that whoever pays for it stays a member.",
  nameDomain: "Set STRIPE_CUSTOM_DOMAIN to the domain, and start the site anew.",
  workEvents: "Mend what keeps them away, as said above, and run 'stripe sync', which works them.",
  syncAll: "Run 'stripe sync --all'.",
  adopt: "Run 'stripe sync --from-stripe'.",
  unlinkUnknown:
    "If STRIPE_SECRET_KEY is not the right one, set the right one. If it is, as after a change from test to live mode, run 'stripe sync --all --unlink-unknown'.",
  cancelOrphan:
    "Nobody can use or end it any more: cancel the subscription in Stripe's dashboard, and refund what was paid since the account has gone.",
  cancelSurplus: "Refund and cancel one of them in Stripe's dashboard.",
  cancelRefunded:
    "Cancel the subscription in Stripe's dashboard, unless it is meant to be charged again; its member can buy anew.",
} as const;

export type Advice = keyof typeof ADVICE;

/** One thing that was looked at: whether it is well, what was found, and what to do if it is not. */
export type Finding = { ok: boolean; what: string; found: string; advice?: Advice };

const MAX_NAMED = 20;

/** A list of ids as a finding names them: the first ones, and how many more there are. */
export function named(ids: readonly string[]): string {
  const more = ids.length - MAX_NAMED;
  return ids.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
