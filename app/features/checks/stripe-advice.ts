/**
 * All advice of `stripe doctor`. No step ever makes things worse, and a test follows each one. The answer names the
 * objects.
 */
export const STRIPE_ADVICE = {
  tryAgain: "Run 'stripe doctor' again. If that doesn't help, check https://status.stripe.com.",
  givePermission:
    "Give the restricted key the permission in Stripe's dashboard (docs/going-live.md lists all).",
  checkKey:
    "Set STRIPE_SECRET_KEY to the key of the account and mode that STRIPE_PRICE_ID is from. Only if the key is the right one, run 'stripe setup' and set what it prints.",
  setUp: "Run 'stripe setup'.",
  setUpAndSet: "Run 'stripe setup', set what it prints, and restart the site.",
  replaceEndpoint:
    "Run 'stripe setup', set what it prints, restart the site, and run 'stripe setup' once more.",
  replaceSecret:
    "Run 'stripe setup --new-webhook-secret', set what it prints, restart the site, and run 'stripe setup'.",
  markProduct:
    "Give the product the metadata app=the-golden-path in Stripe's dashboard, so that people who pay for it stay members.",
  nameDomain: "Set STRIPE_CUSTOM_DOMAIN to the domain, and restart the site.",
  switchMethodOff:
    "Sellers of subscriptions report a lot of fraud with it. Turn it off in Stripe's dashboard, under Settings, Payment methods.",
  processEvents:
    "Fix what keeps them from arriving, as said above, and run 'stripe sync', which processes them.",
  syncAll: "Run 'stripe sync --all'.",
  adopt: "Run 'stripe sync --from-stripe'.",
  unlinkUnknown:
    "If STRIPE_SECRET_KEY is not the right one, set the right one. If it is, as after a change from test to live mode, run 'stripe sync --all --unlink-unknown'.",
  adoptSite:
    "If this database continues that site, as one from a backup made before the site had an id, run 'stripe adopt --site' with that id. If it is a copy of that site's, run 'stripe new-site'.",
  cancelOrphan:
    "After restoring a backup, its holder gets it back by signing up again and confirming the address. If the account was deleted instead, no one can use or end it anymore: cancel it in Stripe's dashboard, and refund what was paid since.",
  moved:
    "If the site has moved here, run 'stripe adopt'. If this is a copy of another site, run 'stripe new-site', so that neither touches the other's data.",
  unarchive:
    "If it is meant to be on sale, run 'stripe setup --unarchive', set what it prints, and restart the site.",
  cancelSurplus: "Refund and cancel one of them in Stripe's dashboard.",
  cancelRefunded:
    "Cancel the subscription in Stripe's dashboard, unless it is meant to be charged again; its member can buy again.",
};

const MAX_LISTED_IDS = 20;

/** Formats a list of ids: the first ones, and how many more there are. */
export function listIds(ids: readonly string[]): string {
  const more = ids.length - MAX_LISTED_IDS;
  return ids.slice(0, MAX_LISTED_IDS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
