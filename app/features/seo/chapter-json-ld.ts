import type { MetaDescriptor } from "@remix-run/node";
import { previewPath } from "~/features/library/library-paths";
import type { PreviewView } from "~/features/library/preview.server";
import { type Match, siteOf } from "~/features/site/page-site";
import { publicOrigin, shareImage } from "./page-meta";

/**
 * Returns the structured data of a public text: a Chapter of the Book on the landing page, or else an Article. Empty if
 * the root failed.
 */
export function chapterJsonLd(
  matches: readonly Match[],
  { slug, title, summary, number, wordCount }: PreviewView,
): MetaDescriptor[] {
  const origin = publicOrigin(matches);
  const site = siteOf(matches);
  if (!origin || !site) return [];
  const url = origin + previewPath(slug);
  const data = {
    "@context": "https://schema.org",
    ...(number === null
      ? { "@type": "Article", headline: title }
      : { "@type": "Chapter", name: title, position: number }),
    "@id": url,
    url,
    description: summary,
    wordCount,
    inLanguage: site.language,
    image: shareImage(origin, site).address,
    ...(site.author && { author: { "@type": "Person", name: site.author } }),
    isPartOf: { "@id": `${origin}/#book` },
    isAccessibleForFree: true,
  };
  return [{ "script:ld+json": data }];
}
