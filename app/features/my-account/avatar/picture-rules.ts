/** Maximum size of a picture file, in bytes. */
export const PICTURE_LIMIT = 5 * 1024 * 1024;

/** Media types the file chooser offers. The server checks the content instead. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp,image/avif";

/** Why a file is refused as a picture. */
export type PictureRefusal =
  | "missing"
  | "too-large"
  | "unsupported"
  | "too-many-pixels"
  | "too-elongated"
  | "unreadable";

/** Messages for the account's owner. */
export const REFUSALS: Record<PictureRefusal, string> = {
  missing: "Please choose a picture first.",
  "too-large": "The picture is larger than 5 MB. Please choose a smaller one.",
  unsupported: "Please choose a PNG, JPEG, WebP or AVIF picture.",
  "too-many-pixels": "The picture has too many pixels. Please choose a smaller one.",
  "too-elongated": "The picture is too long and narrow. Please crop it first.",
  unreadable: "The picture couldn’t be read. Please choose another one.",
};
