import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import pageStyles from "~/features/newsletter/issue-page.css";
import { notFoundMeta, pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import { currentSite } from "~/features/site/current-site.server";
import { pagePath, siteOf } from "~/features/site/page-site";
import { SitePageText } from "~/features/site/site-page-text";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: pageStyles }];

export const meta: MetaFunction<typeof loader> = ({ matches, data, params }) => {
  if (!data) return notFoundMeta(matches);
  const book = siteOf(matches)?.title ?? "";
  return pageMeta(
    {
      title: pageTitle(matches, data.title),
      description: `${data.title}: ${book}`,
      path: pagePath(params.slug ?? ""),
    },
    matches,
  );
};

export const handle: RouteHandle = { metricsName: "/pages", cached: { searches: [""] } };

/** A page of the author's, such as the imprint. */
export function loader({ params }: LoaderFunctionArgs) {
  const page = currentSite().pages.find(({ slug }) => slug === params.slug);
  if (!page) throw new Response(null, { status: 404 });
  return { title: page.title, html: page.html };
}

export default function AuthorPage() {
  return <SitePageText {...useLoaderData<typeof loader>()} />;
}
