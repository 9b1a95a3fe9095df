import type { MetaDescriptor } from "@remix-run/node";
import type { PageSite } from "~/features/site/page-site";

type ChapterFacts = {
  origin: string;
  path: string;
  title: string;
  description: string;
  /** Null if it is not a chapter. */
  number: number | null;
  wordCount: number;
  /** Address of its picture. */
  image: string;
  site: Pick<PageSite, "author" | "language">;
};

/** Returns the structured data of a public text: a Chapter of the Book on the landing page, or else an Article. */
export function chapterJsonLd({
  origin,
  path,
  title,
  description,
  number,
  wordCount,
  image,
  site,
}: ChapterFacts): MetaDescriptor {
  const url = origin + path;
  return {
    "script:ld+json": {
      "@context": "https://schema.org",
      ...(number === null
        ? { "@type": "Article", headline: title }
        : { "@type": "Chapter", name: title, position: number }),
      "@id": url,
      url,
      description,
      wordCount,
      inLanguage: site.language,
      image,
      ...(site.author && { author: { "@type": "Person", name: site.author } }),
      isPartOf: { "@id": `${origin}/#book` },
      isAccessibleForFree: true,
    },
  };
}
