import type { SITE_FILE } from "~/features/site/site-file";
import { DESK_PATH } from "../desk-paths";

/** `SITE_FILE` for the browser, without what reads it. */
export const SITE_FILE_NAME: typeof SITE_FILE = "site.yml";

/** Folder of the pictures in previews. */
export const DESK_MEDIA_PATH = `${DESK_PATH}/book/media/`;

/** Path of the style sheet of the site's colors in previews. */
export const COLORS_PATH = `${DESK_MEDIA_PATH}colors.css`;

/** Largest file that is uploaded at the desk, in bytes: its form is held in memory. */
export const UPLOAD_LIMIT = 32 * 1024 * 1024;

/** Returns the path of the page that lists a file: the book's or the site's. */
export const listPath = (file: string) =>
  `${DESK_PATH}/${/^(?:chapters|extras)\//.test(file) ? "book" : "site"}`;

/** Returns the path of the page that edits a file of the edition. */
export const editorPath = (file: string) =>
  `${listPath(file)}/text?file=${encodeURIComponent(file)}`;

/** Returns the path of the page that shows a file as readers will see it. */
export const previewPath = (file: string) =>
  `${listPath(file)}/preview?file=${encodeURIComponent(file)}`;
