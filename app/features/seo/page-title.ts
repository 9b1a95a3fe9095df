import { BOOK_TITLE } from "~/book";

/** The document title of a page, with the book's name after the page's own. */
export function pageTitle(page?: string): string {
  return page ? `${page} · ${BOOK_TITLE}` : `${BOOK_TITLE} · A book for finding your way`;
}
