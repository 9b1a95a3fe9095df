import type Stripe from "stripe";
import type { Wire } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { onlyExpand } from "../parameters";

const account = {
  id: "acct_goldenPathSandbox",
  object: "account",
  business_profile: null,
  business_type: null,
  capabilities: { card_payments: "active", us_bank_account_ach_payments: "active" },
  charges_enabled: true,
  country: "US",
  default_currency: "usd",
  details_submitted: true,
  email: null,
  metadata: {},
  payouts_enabled: true,
  type: "standard",
} satisfies Wire<Stripe.Account>;

export const accountEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/account", onlyExpand, () => account),
  endpoint("GET", "/v1/balance", onlyExpand, () => {
    const nothing = [{ amount: 0, currency: "usd", source_types: { card: 0 } }];
    return {
      object: "balance",
      available: nothing,
      livemode: false,
      pending: nothing,
    } satisfies Wire<Stripe.Balance>;
  }),
];
