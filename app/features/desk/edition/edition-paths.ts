import { DESK_PATH } from "../desk-paths";

/** Folder of the pictures in previews. */
export const DESK_MEDIA_PATH = `${DESK_PATH}/book/media/`;

/** Path of the style sheet of the site's colors in previews. */
export const COLORS_PATH = `${DESK_MEDIA_PATH}colors.css`;

/** Largest file that is uploaded at the desk, in bytes: its form is held in memory. */
export const UPLOAD_LIMIT = 32 * 1024 * 1024;

/** What is uploaded, as its form says. */
export const UPLOAD_RULE = `A picture up to 2 MB, or an MP3 or M4A up to ${UPLOAD_LIMIT / 1024 / 1024} MB`;

/** Returns the path of the page that lists a file: the book's or the site's. */
export const listPath = (file: string) =>
  `${DESK_PATH}/${/^(?:chapters|extras)\//.test(file) ? "book" : "site"}`;

/** Returns the path of the page that edits a file of the edition. */
export const editorPath = (file: string) =>
  `${listPath(file)}/text?file=${encodeURIComponent(file)}`;

/** Returns the path of the page that shows a file as readers will see it. */
export const previewPath = (file: string) =>
  `${listPath(file)}/preview?file=${encodeURIComponent(file)}`;
