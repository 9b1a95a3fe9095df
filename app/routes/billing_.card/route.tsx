import type { MetaFunction } from "@remix-run/node";
import { BOOK_TITLE } from "~/book";
import { useRootData } from "~/features/accounts/root-data";
import { CARD_PATH } from "~/features/billing/billing-paths";
import { CardPage } from "~/features/billing/card-page";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Payment card"),
      description: `The payment card of your membership of ${BOOK_TITLE}.`,
      path: CARD_PATH,
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/billing" };

export default function Card() {
  return <CardPage viewer={useRootData().viewer} />;
}
