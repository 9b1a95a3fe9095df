import { BOOK_TITLE } from "~/book";

/** Returns a page's document title, with the book's title after the page's own. */
export function pageTitle(page?: string): string {
  return page ? `${page} · ${BOOK_TITLE}` : `${BOOK_TITLE} · A book for finding your way`;
}
