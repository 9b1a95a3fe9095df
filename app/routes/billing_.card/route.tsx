import type { MetaFunction } from "@remix-run/node";
import { useRootData } from "~/features/accounts/root-data";
import { CardPage } from "~/features/billing/card-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Payment card", "The payment card of your membership.");

export const handle: RouteHandle = { metricsName: "/billing" };

export default function Card() {
  return <CardPage viewer={useRootData().viewer} />;
}
