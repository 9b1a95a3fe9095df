import type { MetaFunction } from "@remix-run/node";
import { CheckoutCancelledPage } from "~/features/billing/checkout-cancelled-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Checkout cancelled", "Nothing was charged.");

export const handle: RouteHandle = { metricsName: "/checkout" };

export default function CheckoutCancelled() {
  return <CheckoutCancelledPage />;
}
