import type Stripe from "stripe";
import { env } from "~/env.server";
import { SETUP_METADATA } from "./premium-product.server";
import { isInvalidRequest, stripeClient } from "./stripe-client.server";

/** How long the portal's configuration is remembered; `stripe setup` in another process may have made one since. */
const REMEMBERED_MS = 10 * 60_000;

/** The configuration as this process last saw it, or is just asking for it. */
let remembered: { client: Stripe; at: number; id: Promise<string | null> } | undefined;

/** The address of Stripe's customer portal for a customer, from which they come back to `returnPath`. */
export async function openPortal(stripeCustomerId: string, returnPath: string): Promise<string> {
  const known = remembered;
  const configuration = await portalConfigurationId();
  try {
    return await createPortalSession(stripeCustomerId, returnPath, configuration);
  } catch (error) {
    // it may have been switched off or deleted at Stripe since it was remembered
    const mayBeOutdated = remembered === known && isInvalidRequest(error);
    remembered = undefined;
    if (!mayBeOutdated) throw error;
    return createPortalSession(stripeCustomerId, returnPath, await portalConfigurationId());
  }
}

async function createPortalSession(
  customer: string,
  returnPath: string,
  configuration: string | null,
): Promise<string> {
  const session = await stripeClient().billingPortal.sessions.create({
    customer,
    return_url: `${env().PUBLIC_URL}${returnPath}`,
    // without one of ours Stripe falls back to the account's default, if it has one
    ...(configuration ? { configuration } : {}),
  });
  return session.url;
}

function portalConfigurationId(): Promise<string | null> {
  const client = stripeClient();
  if (remembered?.client !== client || Date.now() - remembered.at > REMEMBERED_MS) {
    const id = findPortalConfiguration().then((found) => found?.id ?? null);
    const entry = { client, at: Date.now(), id };
    remembered = entry;
    id.catch(() => {
      if (remembered === entry) remembered = undefined;
    });
  }
  return remembered.id;
}

/**
 * The portal configuration `stripe setup` made; null if it was never run for this account. Of several, as
 * where one account serves two sites, the one that returns to this site.
 */
export async function findPortalConfiguration(): Promise<Stripe.BillingPortal.Configuration | null> {
  const { data } = await stripeClient().billingPortal.configurations.list({
    active: true,
    limit: 100,
  });
  const made = data.filter(({ metadata }) => metadata?.app === SETUP_METADATA.app);
  const isOfThisSite = (address: string | null) => address?.startsWith(`${env().PUBLIC_URL}/`);
  return made.find((found) => isOfThisSite(found.default_return_url)) ?? made[0] ?? null;
}
