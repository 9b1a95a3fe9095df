import type Stripe from "stripe";
import { env } from "~/env.server";
import { stripeClient } from "./stripe-client.server";

/** Marks what `stripe setup` made at Stripe, for the site to find it again. */
export const SETUP_METADATA = { app: "the-golden-path" } as const;

/** The address of Stripe's customer portal for a customer, from which they come back to `returnPath`. */
export async function openPortal(stripeCustomerId: string, returnPath: string): Promise<string> {
  const configuration = await findPortalConfiguration();
  const session = await stripeClient().billingPortal.sessions.create({
    customer: stripeCustomerId,
    return_url: `${env().PUBLIC_URL}${returnPath}`,
    // without one of ours Stripe falls back to the account's default, if it has one
    ...(configuration ? { configuration: configuration.id } : {}),
  });
  return session.url;
}

/** The portal configuration `stripe setup` made; null if it was never run for this account. */
export async function findPortalConfiguration(): Promise<Stripe.BillingPortal.Configuration | null> {
  const { data } = await stripeClient().billingPortal.configurations.list({
    active: true,
    limit: 100,
  });
  return data.find(({ metadata }) => metadata?.app === SETUP_METADATA.app) ?? null;
}
