import type { DocumentKind } from "~db/schema";

/** The contents: every chapter and extra. */
export const CHAPTERS_PATH = "/premium/chapters";

/** The path of a page of the contents, counted from 1. */
export const contentsPath = (page: number) =>
  page === 1 ? CHAPTERS_PATH : `${CHAPTERS_PATH}?page=${page}`;

/** The id of the first section of extras in the contents. */
export const EXTRAS_ID = "extras";

export const SEARCH_PATH = "/premium/search";

/** Where a form with notes is posted, and from where a page with JavaScript posts them as JSON. */
export const NOTES_PATH = "/premium/notes";
export const SAVE_NOTES_PATH = "/premium/notes/save";

/** All of a member's notes, as a Markdown file. */
export const NOTES_FILE_PATH = "/premium/notes.md";

/** The book for e-readers. */
export const BOOK_PATH = "/premium/book.epub";

/** The folder that an edition's images and sounds are served from, to members. */
export const MEDIA_PATH = "/premium/media/";

/** The folder that the images of public chapters are served from, to everybody. */
export const PREVIEW_MEDIA_PATH = "/preview/media/";

/** The path of a chapter's or an extra's page. */
export const documentPath = ({ kind, slug }: { kind: DocumentKind; slug: string }) =>
  kind === "chapter" ? `${CHAPTERS_PATH}/${slug}` : `/premium/extras/${slug}`;

/** The path at which everybody may read a public chapter. */
export const previewPath = (slug: string) => `/preview/${slug}`;

/** The id of a block of a text, such as a paragraph, counted from 1. */
export const blockId = (number: number) => `p${number}`;

/** Where a text is marked as read, and the position in it is posted. */
export const PROGRESS_PATH = "/premium/progress";

/** The id of the form at a text's end that marks it as read. */
export const MARK_AS_READ_ID = "mark-as-read";
