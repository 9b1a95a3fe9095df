import type { MetaFunction } from "@remix-run/node";
import { CheckoutCancelledPage } from "~/features/billing/checkout-cancelled-page";
import { pageMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";
import { pageTitle } from "~/ui/page-title";

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Checkout cancelled"),
      description: "Nothing was charged.",
      path: "/checkout/cancelled",
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/checkout" };

export default function CheckoutCancelled() {
  return <CheckoutCancelledPage />;
}
