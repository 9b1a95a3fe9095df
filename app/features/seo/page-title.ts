import { type Match, siteOf } from "~/features/site/page-site";

/** Returns a page's document title with the book's after it; without `page`, that of the landing page. */
export function pageTitle(matches: readonly Match[], page?: string): string {
  const site = siteOf(matches);
  const parts = page ? [page, site?.title] : [site?.title, site?.slogan];
  return parts.filter(Boolean).join(" · ");
}
