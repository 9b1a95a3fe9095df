import type Stripe from "stripe";
import { env } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";
import { CANCELLATION_REASONS, type CancellationReason } from "./cancellation-reasons";
import { findPortalConfiguration } from "./portal.server";
import { PORTAL_RETURN_PATH } from "./portal-return.server";
import { SETUP_METADATA } from "./premium-product.server";
import type { SetupStep } from "./setup-step";
import { stripeClient } from "./stripe-client.server";
import { isMarked, siteMark } from "./stripe-site.server";

/** Returns the URL to which the portal returns members; they are synced there. */
function portalReturnAddress(): string {
  return `${env().PUBLIC_URL}${PORTAL_RETURN_PATH}`;
}

/**
 * Configures the portal so members can change their card, read invoices, cancel at the end of the paid period, and
 * say why
 * (https://docs.stripe.com/api/customer_portal/configurations).
 */
export async function setUpPortal(steps: SetupStep[]): Promise<void> {
  const wanted = {
    business_profile: { headline: `${currentSite().title}: your membership` },
    default_return_url: portalReturnAddress(),
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: {
        enabled: true,
        mode: "at_period_end" as const,
        cancellation_reason: {
          enabled: true,
          options: Object.keys(CANCELLATION_REASONS) as CancellationReason[],
        },
      },
    },
    metadata: { ...SETUP_METADATA, ...(await siteMark()) },
  };
  const found = await findPortalConfiguration();
  if (!found) {
    const created = await stripeClient().billingPortal.configurations.create(wanted);
    steps.push({ what: "portal configuration", id: created.id, outcome: "created" });
    return;
  }
  const isRight = portalProblems(found).length === 0 && isMarked(found.metadata);
  if (!isRight) await stripeClient().billingPortal.configurations.update(found.id, wanted);
  steps.push({
    what: "portal configuration",
    id: found.id,
    outcome: isRight ? "found" : "updated",
  });
}

/** Returns the problems of a portal configuration, as phrases without a full stop; empty if there are none. */
export function portalProblems({
  features,
  default_return_url,
}: Stripe.BillingPortal.Configuration): string[] {
  const { subscription_cancel, payment_method_update, invoice_history } = features;
  return [
    ...(subscription_cancel.enabled ? [] : ["members cannot cancel"]),
    ...(subscription_cancel.enabled && subscription_cancel.mode !== "at_period_end"
      ? ["canceling ends paid access right away"]
      : []),
    ...(subscription_cancel.cancellation_reason.enabled ? [] : ["does not ask why members cancel"]),
    ...(payment_method_update.enabled ? [] : ["members cannot change their card"]),
    ...(invoice_history.enabled ? [] : ["members cannot see their invoices"]),
    ...(default_return_url === portalReturnAddress()
      ? []
      : [`returns to ${default_return_url ?? "nowhere"}`]),
  ];
}
