import {
  data,
  type HeadersFunction,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { loadLanding } from "~/features/landing/load-landing.server";
import { PHOTO_ORIGIN } from "~/features/landing/stock-photo";
import { bookJsonLd } from "~/features/seo/json-ld";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import { currentSite } from "~/features/site/current-site.server";
import { siteOf } from "~/features/site/page-site";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction<typeof loader> = ({ matches, data: loaded }) => {
  const site = siteOf(matches);
  const description = site?.subtitle ?? site?.title ?? "";
  return [
    ...pageMeta({ title: pageTitle(matches), description, path: "/" }, matches),
    ...(loaded?.hasStockPhoto ? [{ tagName: "link", rel: "preconnect", href: PHOTO_ORIGIN }] : []),
    ...bookJsonLd(matches, loaded?.hero.price ?? null),
  ];
};

export const handle: RouteHandle = {
  metricsName: "/",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export const links: LinksFunction = () => [{ rel: "stylesheet", href: landingStyles }];

export async function loader({ context }: LoaderFunctionArgs) {
  const { sections, isReadable, ...landing } = await loadLanding(currentSite());
  const { key, html } = sections;
  return data(
    { sections: withRenderedOnly({ key }, { html }, context), ...landing },
    // a cache in front would show the words that stand in for chapter 1 long after it can be read again
    { headers: isReadable ? {} : { "Cache-Control": "private, no-store" } },
  );
}

export const headers: HeadersFunction = ({ loaderHeaders, parentHeaders }) =>
  loaderHeaders.has("Cache-Control") ? loaderHeaders : parentHeaders;

export default function Landing() {
  return <LandingPage {...useLoaderData<typeof loader>()} />;
}
