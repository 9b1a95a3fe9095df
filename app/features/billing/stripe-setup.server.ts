import { setUpPortal } from "./setup-portal.server";
import { type PriceOptions, setUpPrice } from "./setup-price.server";
import type { SetupStep } from "./setup-step";
import { setUpWebhook, type WebhookSecretState } from "./setup-webhook.server";

export type SetupOptions = PriceOptions & {
  /** Creates another webhook endpoint, because the current one's secret is lost. */
  newWebhookSecret?: boolean;
};

export type SetupResult = {
  steps: SetupStep[];
  priceId: string;
  webhook: WebhookSecretState;
};

/**
 * Finds or creates everything the site needs at Stripe: product and price, the portal's configuration, and the
 * webhook endpoint with this SDK's API version and exactly the handled events. Idempotent, also after an interrupted
 * run.
 */
export async function setUpStripe(options: SetupOptions = {}): Promise<SetupResult> {
  const steps: SetupStep[] = [];
  const priceId = await setUpPrice(options, steps);
  await setUpPortal(steps);
  // Last, because Stripe reveals the returned secret only once.
  const webhook = await setUpWebhook({ newSecret: options.newWebhookSecret }, steps);
  return { steps, priceId, webhook };
}
