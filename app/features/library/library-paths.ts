import type { DocumentKind } from "~db/schema";

/** Path of the contents: every chapter and extra. */
export const CHAPTERS_PATH = "/premium/chapters";

/** Returns the path of a page of the contents, counted from 1. */
export const contentsPath = (page: number) =>
  page === 1 ? CHAPTERS_PATH : `${CHAPTERS_PATH}?page=${page}`;

/** Id of the first section of extras in the contents. */
export const EXTRAS_ID = "extras";

export const SEARCH_PATH = "/premium/search";

/** The form posts notes to the first; pages with JavaScript post JSON to the second. */
export const NOTES_PATH = "/premium/notes";
export const SAVE_NOTES_PATH = "/premium/notes/save";

/** Path of all of a member's notes, as a Markdown file. */
export const NOTES_FILE_PATH = "/premium/notes.md";

/** Path of the page that tells how to get the book onto an e-reader. */
export const E_BOOK_PATH = "/premium/e-book";

/** Path of the list of all of a member's highlights, and of them as a CSV file. */
export const HIGHLIGHTS_PATH = "/premium/highlights";
export const HIGHLIGHTS_FILE_PATH = "/premium/highlights.csv";

/** Forms and pages with JavaScript post new, changed and deleted highlights to it. */
export const SAVE_HIGHLIGHT_PATH = "/premium/highlights/save";

/** Returns the path of the page that changes a highlight. */
export const highlightPath = (id: string) => `${HIGHLIGHTS_PATH}/${id}`;

/** Returns the path of the page that highlights sentences of a text's block. */
export const newHighlightPath = (slug: string, block: number) =>
  `${HIGHLIGHTS_PATH}/new?text=${encodeURIComponent(slug)}&block=${block}`;

/** Returns the id of the beginning of a highlight in its text. */
export const passageId = (id: string) => `hl-${id}`;

/** Path of the book for e-readers. */
export const BOOK_PATH = "/premium/book.epub";

/** Folder of an edition's images and sounds, for members. */
export const MEDIA_PATH = "/premium/media/";

/** Folder of the images in public chapters, for anyone. */
export const PREVIEW_MEDIA_PATH = "/preview/media/";

/** Returns the path of a chapter's or extra's page. */
export const documentPath = ({ kind, slug }: { kind: DocumentKind; slug: string }) =>
  kind === "chapter" ? `${CHAPTERS_PATH}/${slug}` : `/premium/extras/${slug}`;

/** Returns the path at which anyone may read a public chapter. */
export const previewPath = (slug: string) => `/preview/${slug}`;

/** Returns the id of a block of a text, such as a paragraph, counted from 1. */
export const blockId = (number: number) => `p${number}`;

/** Returns the id of a place that a search has found in a text, counted from 1. */
export const hitId = (number: number) => `hit-${number}`;

/** Returns the path of a text's page, with the block at which its reader stopped. */
export const stoppedPath = (path: string, stoppedAt: number | null | undefined) =>
  stoppedAt ? `${path}#${blockId(stoppedAt)}` : path;

/** Path that marks a text as read and stores the position in it, by POST. */
export const PROGRESS_PATH = "/premium/progress";

/** Id of the form at a text's end that marks it as read. */
export const MARK_AS_READ_ID = "mark-as-read";
