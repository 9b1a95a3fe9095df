import type { SITE_FILE } from "~/features/site/site-file";
import { DESK_PATH } from "../desk-paths";

export const BOOK_PATH = `${DESK_PATH}/book`;
export const SITE_PATH = `${DESK_PATH}/site`;

/** `SITE_FILE` for the browser, without what reads it. */
export const SITE_FILE_NAME: typeof SITE_FILE = "site.yml";

/** Path of the pictures and sounds, and of the form that uploads one. */
export const FILES_PATH = `${BOOK_PATH}/files`;

/** Folder of the pictures in previews. */
export const DESK_MEDIA_PATH = `${BOOK_PATH}/media/`;

/** Path of the style sheet of the site's colors in previews. */
export const COLORS_PATH = `${SITE_PATH}/colors.css`;

/** Path to which pages with JavaScript post what is typed. */
export const AUTOSAVE_PATH = `${BOOK_PATH}/draft`;

/** Largest body of a form with a text, percent-encoded, in bytes. */
export const TEXT_LIMIT = 1_000_000;

/** Largest file that is uploaded at the desk, in bytes: its form is held in memory. */
export const UPLOAD_LIMIT = 32 * 1024 * 1024;

/** Whether a file belongs to the site, not to the book. */
const isOfSite = (file: string) => !/^(?:chapters|extras)\//.test(file);

/** Returns the path of the page that lists a file. */
export const listPath = (file: string) => (isOfSite(file) ? SITE_PATH : BOOK_PATH);

/** Returns the path of the page that edits a file of the edition. */
export const editorPath = (file: string) =>
  `${listPath(file)}/text?file=${encodeURIComponent(file)}`;

/** Returns the path of the page that shows a file as readers will see it. */
export const previewPath = (file: string) =>
  `${listPath(file)}/preview?file=${encodeURIComponent(file)}`;
