import type { MetaDescriptor } from "@remix-run/node";
import { AUTHOR_NAME, BOOK_TITLE } from "~/book";

type IssueFacts = {
  url: string;
  subject: string;
  description: string;
  /** ISO 8601. */
  publishedAt: string;
  /** Whether non-members see only the beginning. */
  premium: boolean;
};

/**
 * Returns the structured data of a newsletter issue: a schema.org Article. A members' issue is marked as paywalled, so
 * search engines do not take its short text for cloaking
 * (https://developers.google.com/search/docs/appearance/structured-data/paywalled-content).
 */
export function issueJsonLd({
  url,
  subject,
  description,
  publishedAt,
  premium,
}: IssueFacts): MetaDescriptor {
  return {
    "script:ld+json": {
      "@context": "https://schema.org",
      "@type": "Article",
      "@id": url,
      headline: subject,
      description,
      datePublished: publishedAt,
      inLanguage: "en",
      author: { "@type": "Person", name: AUTHOR_NAME },
      isPartOf: { "@type": "Periodical", name: `Letters from ${BOOK_TITLE}` },
      isAccessibleForFree: !premium,
      ...(premium && {
        hasPart: {
          "@type": "WebPageElement",
          isAccessibleForFree: false,
          cssSelector: ".issue-end",
        },
      }),
    },
  };
}
