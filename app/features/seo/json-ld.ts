import type { MetaDescriptor } from "@remix-run/node";
import { previewPath } from "~/features/library/library-paths";
import type { PreviewView } from "~/features/library/preview.server";
import type { IssueView } from "~/features/newsletter/issues.server";
import { issuePath, lettersFrom } from "~/features/newsletter/newsletter-paths";
import { type Match, type PageSite, siteOf } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";
import { publicOrigin, shareImage } from "./page-meta";

/**
 * Returns structured data of schema.org, with the author and language that all of it has. Remix escapes `<`, `>` and
 * `&` when it renders the script element. Empty if the root failed.
 */
function jsonLd(
  matches: readonly Match[],
  describe: (origin: string, site: PageSite) => object,
): MetaDescriptor[] {
  const origin = publicOrigin(matches);
  const site = siteOf(matches);
  if (!origin || !site) return [];
  const data = {
    "@context": "https://schema.org",
    ...describe(origin, site),
    inLanguage: site.language,
    ...(site.author && { author: { "@type": "Person", name: site.author } }),
  };
  return [{ "script:ld+json": data }];
}

/** Returns the book's data (specification, 9). It has no rating, since none can be checked by this program. */
export function bookJsonLd(matches: readonly Match[], price: Site["price"]): MetaDescriptor[] {
  return jsonLd(matches, (origin, site) => ({
    "@type": "Book",
    "@id": `${origin}/#book`,
    name: site.title,
    url: `${origin}/`,
    image: shareImage(origin, site).address,
    ...(site.subtitle && { description: site.subtitle }),
    ...(site.isSample && { genre: "Self-help" }),
    ...(site.publisher && { publisher: { "@type": "Organization", name: site.publisher } }),
    ...(price && {
      offers: {
        "@type": "Offer",
        url: `${origin}/`,
        price: price.amount,
        priceCurrency: price.currency,
      },
    }),
  }));
}

/** Returns the data of a public text: a Chapter of the Book on the landing page, or else an Article. */
export function chapterJsonLd(
  matches: readonly Match[],
  { slug, title, summary, number, wordCount }: PreviewView,
): MetaDescriptor[] {
  return jsonLd(matches, (origin, site) => ({
    ...(number === null
      ? { "@type": "Article", headline: title }
      : { "@type": "Chapter", name: title, position: number }),
    "@id": origin + previewPath(slug),
    url: origin + previewPath(slug),
    description: summary,
    wordCount,
    image: shareImage(origin, site).address,
    isPartOf: { "@id": `${origin}/#book` },
    isAccessibleForFree: true,
  }));
}

/**
 * Returns the data of a newsletter issue: an Article. A members' issue is marked as paywalled, so search engines do not
 * take its short text for cloaking
 * (https://developers.google.com/search/docs/appearance/structured-data/paywalled-content).
 */
export function issueJsonLd(
  matches: readonly Match[],
  { slug, subject, previewText, publishedAt, premium }: Omit<IssueView, "text">,
): MetaDescriptor[] {
  return jsonLd(matches, (origin, site) => ({
    "@type": "Article",
    "@id": origin + issuePath(slug),
    headline: subject,
    description: previewText,
    datePublished: publishedAt,
    isPartOf: { "@type": "Periodical", name: lettersFrom(site.title) },
    isAccessibleForFree: !premium,
    ...(premium && {
      hasPart: {
        "@type": "WebPageElement",
        isAccessibleForFree: false,
        cssSelector: ".issue-end",
      },
    }),
  }));
}
