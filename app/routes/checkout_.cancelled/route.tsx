import type { MetaFunction } from "@remix-run/node";
import { CheckoutCancelledPage } from "~/features/billing/checkout-cancelled-page";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

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
