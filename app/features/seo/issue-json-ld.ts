import type { MetaDescriptor } from "@remix-run/node";
import type { IssueView } from "~/features/newsletter/issues.server";
import { issuePath, lettersFrom } from "~/features/newsletter/newsletter-paths";
import { type Match, siteOf } from "~/features/site/page-site";
import { publicOrigin } from "./page-meta";

/**
 * Returns the structured data of a newsletter issue: a schema.org Article. A members' issue is marked as paywalled, so
 * search engines do not take its short text for cloaking
 * (https://developers.google.com/search/docs/appearance/structured-data/paywalled-content). Empty if the root failed.
 */
export function issueJsonLd(
  matches: readonly Match[],
  { slug, subject, previewText, publishedAt, premium }: Omit<IssueView, "text">,
): MetaDescriptor[] {
  const origin = publicOrigin(matches);
  const site = siteOf(matches);
  if (!origin || !site) return [];
  const data = {
    "@context": "https://schema.org",
    "@type": "Article",
    "@id": origin + issuePath(slug),
    headline: subject,
    description: previewText,
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
  };
  return [{ "script:ld+json": data }];
}
