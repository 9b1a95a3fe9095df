import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { BOOK_DESCRIPTION } from "~/book";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { LandingWordsContext } from "~/features/landing/landing-words-context";
import { PHOTO_ORIGIN } from "~/features/landing/photo-host";
import { loadPreviewContent } from "~/features/landing/preview-content.server";
import { shownWords } from "~/features/landing/shown-words.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { bookJsonLd } from "~/features/seo/book-json-ld";
import { pageMeta, publicOrigin } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) => {
  const origin = publicOrigin(matches);
  return [
    ...pageMeta({ title: pageTitle(), description: BOOK_DESCRIPTION, path: "/" }, matches),
    ...(origin ? [bookJsonLd(origin)] : []),
  ];
};

export const handle: RouteHandle = {
  metricsName: "/",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: landingStyles },
  { rel: "preconnect", href: PHOTO_ORIGIN },
];

export async function loader() {
  return {
    preview: await loadPreviewContent(new Date()),
    words: shownWords(currentEdition()?.landing ?? null),
  };
}

export default function Landing() {
  const { preview, words } = useLoaderData<typeof loader>();
  return (
    <LandingWordsContext.Provider value={words}>
      <LandingPage preview={preview} />
    </LandingWordsContext.Provider>
  );
}
