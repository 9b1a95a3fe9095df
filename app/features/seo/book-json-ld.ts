import type { MetaDescriptor } from "@remix-run/node";
import { type Match, siteOf } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";
import { publicOrigin, shareImage } from "./page-meta";

/**
 * Returns the book's structured data: a schema.org Book (specification, 9). It has no rating, since none can be checked
 * by this program. Remix escapes `<`, `>` and `&` when it renders the script element. Empty if the root failed.
 */
export function bookJsonLd(matches: readonly Match[], price: Site["price"]): MetaDescriptor[] {
  const origin = publicOrigin(matches);
  const site = siteOf(matches);
  if (!origin || !site) return [];
  const { isSample, title, subtitle, author, publisher, language } = site;
  const data = {
    "@context": "https://schema.org",
    "@type": "Book",
    "@id": `${origin}/#book`,
    name: title,
    url: `${origin}/`,
    image: shareImage(origin, site).address,
    ...(subtitle && { description: subtitle }),
    inLanguage: language,
    ...(isSample && { genre: "Self-help" }),
    ...(author && { author: { "@type": "Person", name: author } }),
    ...(publisher && { publisher: { "@type": "Organization", name: publisher } }),
    ...(price && {
      offers: {
        "@type": "Offer",
        url: `${origin}/`,
        price: price.amount,
        priceCurrency: price.currency,
      },
    }),
  };
  return [{ "script:ld+json": data }];
}
