import { setUpPortal } from "./setup-portal.server";
import { type PriceOptions, setUpPrice } from "./setup-price.server";
import type { SetupStep } from "./setup-step";
import { setUpWebhook, type WebhookSecretState } from "./setup-webhook.server";

export type SetupOptions = PriceOptions & {
  /** Makes another webhook endpoint, because the secret of the present one is lost. */
  newWebhookSecret?: boolean;
};

export type SetupResult = {
  steps: SetupStep[];
  priceId: string;
  webhook: WebhookSecretState;
};

/**
 * Makes, or finds, all that selling needs at Stripe: product and price, the portal's configuration, and
 * the webhook endpoint at this SDK's API version with exactly the events that are handled. Running it
 * again, also after a run that was interrupted, makes nothing twice and changes nothing that is right.
 */
export async function setUpStripe(options: SetupOptions = {}): Promise<SetupResult> {
  const steps: SetupStep[] = [];
  const priceId = await setUpPrice(options, steps);
  await setUpPortal(steps);
  // last, because only here something is told that Stripe does not tell again
  const webhook = await setUpWebhook({ newSecret: options.newWebhookSecret }, steps);
  return { steps, priceId, webhook };
}
