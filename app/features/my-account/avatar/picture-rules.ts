/** Largest file that is taken as a picture, in bytes. */
export const PICTURE_LIMIT = 5 * 1024 * 1024;

/** The media types that the file chooser offers; what a file is, its content decides. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp,image/avif";

/** Why a file does not become a picture. */
export type PictureRefusal =
  | "missing"
  | "too-large"
  | "unsupported"
  | "too-many-pixels"
  | "too-elongated"
  | "unreadable";

/** What the owner of the account is told about it. */
export const REFUSALS: Record<PictureRefusal, string> = {
  missing: "Please choose a picture first.",
  "too-large": "The picture is larger than 5 MB. Please choose a smaller one.",
  unsupported: "Please choose a picture in the format PNG, JPEG, WebP or AVIF.",
  "too-many-pixels": "The picture has too many pixels. Please choose a smaller one.",
  "too-elongated": "The picture is too long and narrow. Please crop it first.",
  unreadable: "The picture could not be read. Please choose another one.",
};
