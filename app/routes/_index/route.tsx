import {
  data,
  type HeadersFunction,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { env } from "~/env.server";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { landingSections } from "~/features/landing/landing-sections.server";
import { loadPreviewContent } from "~/features/landing/preview-content.server";
import { PHOTO_ORIGIN } from "~/features/landing/stock-photo";
import { bookJsonLd } from "~/features/seo/json-ld";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import { currentSite } from "~/features/site/current-site.server";
import { siteOf } from "~/features/site/page-site";
import { COMMUNITY_LATER } from "~/features/site/sample-site";
import { hasStockPhoto, type Site } from "~/features/site/site";
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
  const site = currentSite();
  const { preview, isReadable } = await loadPreviewContent(new Date());
  const { key, html } = landingSections(site, preview);
  const { premium, faq, newsletter, photos, price, rating, readers, badge, isSample } = site;
  return data(
    {
      sections: withRenderedOnly({ key }, { html }, context),
      hero: { photo: photos.hero, price, rating, readers, badge },
      premium: {
        ...premium,
        benefits: benefitsNow(premium.benefits),
        communityIsOpen: env().COMMUNITY !== null,
      },
      faq,
      newsletter,
      hasPath: isSample || isWhole(site),
      hasStockPhoto: hasStockPhoto(site),
    },
    // a cache in front would show the words that stand in for chapter 1 long after it can be read again
    { headers: isReadable ? {} : { "Cache-Control": "private, no-store" } },
  );
}

/** Whether the landing page has the sections, portrait and reviews of the sample's. */
const isWhole = ({ about, features, photos, reviews }: Site) =>
  about !== null && features.length === 3 && photos.author !== null && reviews.length === 3;

/** The sample's benefits say that the community opens later only until it is open. */
function benefitsNow(benefits: Site["premium"]["benefits"]) {
  if (env().COMMUNITY === null) return benefits;
  return benefits.map(({ title, text }) => ({ title, text: text.replace(COMMUNITY_LATER, "") }));
}

export const headers: HeadersFunction = ({ loaderHeaders, parentHeaders }) =>
  loaderHeaders.has("Cache-Control") ? loaderHeaders : parentHeaders;

export default function Landing() {
  return <LandingPage {...useLoaderData<typeof loader>()} />;
}
