import type Stripe from "stripe";
import { env } from "~/env.server";
import { SETUP_METADATA } from "./premium-product.server";
import { isInvalidRequest, stripeClient } from "./stripe-client.server";
import { isOurs, siteMark } from "./stripe-site.server";

/** Cache lifetime of the portal's configuration, in milliseconds; another process's `stripe setup` may create one. */
const CACHE_TTL_MS = 10 * 60_000;

/** The cached configuration id, or the pending request for it. */
let cached: { client: Stripe; at: number; id: Promise<string | null> } | undefined;

/**
 * What the portal shows: its overview, or only the form for another card or the question whether to cancel a
 * subscription, which then returns.
 */
export type PortalPage = "overview" | "card" | { cancel: string };

/** Opens Stripe's customer portal for a customer and returns its URL. The customer returns to `returnPath`. */
export async function openPortal(
  stripeCustomerId: string,
  page: PortalPage,
  returnPath: string,
): Promise<string> {
  const customer = { id: stripeCustomerId, page, returnUrl: `${env().PUBLIC_URL}${returnPath}` };
  const known = cached;
  const configuration = await portalConfigurationId();
  try {
    return await createPortalSession(customer, configuration);
  } catch (error) {
    // The cached configuration may have been deactivated or deleted at Stripe.
    const mayBeOutdated = cached === known && isInvalidRequest(error);
    cached = undefined;
    if (!mayBeOutdated) throw error;
    return createPortalSession(customer, await portalConfigurationId());
  }
}

async function createPortalSession(
  { id, page, returnUrl }: { id: string; page: PortalPage; returnUrl: string },
  configuration: string | null,
): Promise<string> {
  const session = await stripeClient().billingPortal.sessions.create({
    customer: id,
    return_url: returnUrl,
    // Without it, Stripe falls back to the account's default configuration, if there is one.
    ...(configuration ? { configuration } : {}),
    // https://docs.stripe.com/customer-management/portal-deep-links
    ...(page === "overview"
      ? {}
      : {
          flow_data: {
            ...flowOf(page),
            after_completion: { type: "redirect", redirect: { return_url: returnUrl } },
          },
        }),
  });
  return session.url;
}

function flowOf(
  page: Exclude<PortalPage, "overview">,
): Stripe.BillingPortal.SessionCreateParams.FlowData {
  if (page === "card") return { type: "payment_method_update" };
  return { type: "subscription_cancel", subscription_cancel: { subscription: page.cancel } };
}

function portalConfigurationId(): Promise<string | null> {
  const client = stripeClient();
  if (cached?.client !== client || performance.now() - cached.at > CACHE_TTL_MS) {
    const id = findPortalConfiguration().then((found) => found?.id ?? null);
    const entry = { client, at: performance.now(), id };
    cached = entry;
    id.catch(() => {
      if (cached === entry) cached = undefined;
    });
  }
  return cached.id;
}

/**
 * Returns the portal configuration that `stripe setup` created for this site; null if there is none. One without a
 * mark is this site's if it returns there.
 */
export async function findPortalConfiguration(): Promise<Stripe.BillingPortal.Configuration | null> {
  const { data } = await stripeClient().billingPortal.configurations.list({
    active: true,
    limit: 100,
  });
  const mark = await siteMark();
  const ours = data.filter(({ metadata, default_return_url }) => {
    const named = default_return_url?.startsWith(`${env().PUBLIC_URL}/`) ?? false;
    return metadata?.app === SETUP_METADATA.app && isOurs(metadata, mark, { named });
  });
  return ours[0] ?? null;
}
