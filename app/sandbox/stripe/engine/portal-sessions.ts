import type Stripe from "stripe";
import { emit } from "./events";
import { newId } from "./ids";
import type { Sandbox } from "./sandbox";
import type { Customer, PortalConfiguration, PortalSession, Wire } from "./wire";

type PortalSessionDraft = {
  customer: Customer;
  configuration: PortalConfiguration;
  flow: PortalSession["flow"];
  locale: PortalSession["locale"];
  returnUrl: string | null;
};

/** Opens the portal for a customer; its first page is at `url`. */
export function addPortalSession(sandbox: Sandbox, draft: PortalSessionDraft): PortalSession {
  const { configuration, customer } = draft;
  const session: PortalSession = {
    id: newId("bps"),
    object: "billing_portal.session",
    configuration: configuration.id,
    created: sandbox.now(),
    customer: customer.id,
    customer_account: null,
    flow: draft.flow,
    livemode: false,
    locale: draft.locale,
    on_behalf_of: null,
    return_url: draft.returnUrl ?? configuration.default_return_url,
    // whoever knows the address is let in, so the id must not give it away
    url: `${sandbox.pagesOrigin}/p/session/${newId("test", 32)}`,
  } satisfies Wire<Stripe.BillingPortal.Session>;
  sandbox.state.portalSessions.set(session.id, session);
  emit(sandbox, "billing_portal.session.created", session);
  return session;
}
