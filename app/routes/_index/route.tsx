import {
  data,
  type HeadersFunction,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { BOOK_DESCRIPTION } from "~/book";
import { env } from "~/env.server";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { landingSections } from "~/features/landing/landing-sections.server";
import { loadPreviewContent } from "~/features/landing/preview-content.server";
import { shownWords } from "~/features/landing/shown-words.server";
import { PHOTO_ORIGIN } from "~/features/landing/stock-photo";
import { currentEdition } from "~/features/library/current-edition.server";
import { bookJsonLd } from "~/features/seo/book-json-ld";
import { pageMeta, publicOrigin, shareImage } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction<typeof loader> = ({ matches, data: loaded }) => {
  const origin = publicOrigin(matches);
  return [
    ...pageMeta({ title: pageTitle(), description: BOOK_DESCRIPTION, path: "/" }, matches),
    ...(loaded?.hasStockPhoto ? [{ tagName: "link", rel: "preconnect", href: PHOTO_ORIGIN }] : []),
    ...(origin ? [bookJsonLd(origin, shareImage(origin, matches).address)] : []),
  ];
};

export const handle: RouteHandle = {
  metricsName: "/",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export const links: LinksFunction = () => [{ rel: "stylesheet", href: landingStyles }];

export async function loader({ context }: LoaderFunctionArgs) {
  const words = shownWords(currentEdition()?.landing ?? null, {
    isCommunityOpen: env().COMMUNITY !== null,
  });
  const { preview, isReadable } = await loadPreviewContent(new Date());
  const { benefits, photos } = words;
  const { key, html } = landingSections(words, preview);
  return data(
    {
      sections: withRenderedOnly({ key }, { html }, context),
      benefits,
      jacket: photos.hero ?? null,
      hasStockPhoto: !(photos.hero && photos.author),
    },
    // a cache in front would show the words that stand in for chapter 1 long after it can be read again
    { headers: isReadable ? {} : { "Cache-Control": "private, no-store" } },
  );
}

export const headers: HeadersFunction = ({ loaderHeaders, parentHeaders }) =>
  loaderHeaders.has("Cache-Control") ? loaderHeaders : parentHeaders;

export default function Landing() {
  return <LandingPage {...useLoaderData<typeof loader>()} />;
}
