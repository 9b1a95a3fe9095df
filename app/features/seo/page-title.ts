import { type Match, siteOf } from "~/features/site/page-site";

/** Returns a page's document title with the book's after it; without `page`, that of the landing page. */
export function pageTitle(matches: readonly Match[], page?: string): string {
  const site = siteOf(matches);
  return [...(page ? [page, site?.title] : [site?.title, site?.slogan])]
    .filter(Boolean)
    .join(" · ");
}
