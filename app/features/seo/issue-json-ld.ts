import type { MetaDescriptor } from "@remix-run/node";
import { lettersFrom } from "~/features/newsletter/newsletter-paths";
import type { PageSite } from "~/features/site/page-site";

type IssueFacts = {
  url: string;
  subject: string;
  description: string;
  /** ISO 8601. */
  publishedAt: string;
  /** Whether non-members see only the beginning. */
  premium: boolean;
  site: Pick<PageSite, "title" | "author" | "language">;
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
  site,
}: IssueFacts): MetaDescriptor {
  return {
    "script:ld+json": {
      "@context": "https://schema.org",
      "@type": "Article",
      "@id": url,
      headline: subject,
      description,
      datePublished: publishedAt,
      inLanguage: site.language,
      ...(site.author && { author: { "@type": "Person", name: site.author } }),
      isPartOf: { "@type": "Periodical", name: lettersFrom(site.title) },
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
