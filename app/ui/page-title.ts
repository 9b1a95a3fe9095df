const BOOK = "The Golden Path";

/** The document title of a page, with the book's name after the page's own. */
export function pageTitle(page?: string): string {
  return page ? `${page} · ${BOOK}` : `${BOOK} · A book for finding your way`;
}
