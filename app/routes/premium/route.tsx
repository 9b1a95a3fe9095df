import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData, useNavigate } from "@remix-run/react";
import { useEffect } from "react";
import { BOOK_TITLE } from "~/book";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import { PremiumPage } from "~/features/billing/premium-page";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Members’ area"),
      description: `The whole book and what comes with it, for premium members of ${BOOK_TITLE}.`,
      path: "/premium",
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/premium" };

export async function loader(args: LoaderFunctionArgs) {
  return { viewer: await requireSubscriber(args) };
}

export default function Premium() {
  const { viewer } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  useEffect(() => {
    // the viewer was revalidated, and could not be determined
    if (!viewer) navigate("/", { replace: true });
  }, [viewer, navigate]);
  return viewer && <PremiumPage viewer={viewer} />;
}
