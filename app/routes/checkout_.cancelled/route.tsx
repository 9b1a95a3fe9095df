import type { MetaFunction } from "@remix-run/node";
import { CheckoutCanceledPage } from "~/features/billing/checkout-cancelled-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Checkout canceled", "Nothing was charged.");

export const handle: RouteHandle = { metricsName: "/checkout" };

export default function CheckoutCanceled() {
  return <CheckoutCanceledPage />;
}
