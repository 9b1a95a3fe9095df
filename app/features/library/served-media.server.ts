import { siteImages } from "~/features/site/site";
import { isReferredTo } from "~db/queries/editions";
import { waitForEdition } from "./current-edition.server";
import { MEDIA_PATH } from "./library-paths";
import { findMedia, type Media } from "./media-store.server";

/** An image or sound of the library. `tag` is its entity tag. The content never changes. */
export type ServedMedia = Media & { tag: string };

/** Finds the image or sound with this name, of any edition, or null. For members. */
export async function findMemberMedia(name: string): Promise<ServedMedia | null> {
  const media = await findMedia(name);
  return media && { ...media, tag: name };
}

/** Finds the image with this name if a public text at `now`, the site or a link preview shows it, or null. */
export async function findPublicImage(name: string, now: Date): Promise<ServedMedia | null> {
  const image = await findMemberMedia(name);
  if (!image?.mediaType.startsWith("image/")) return null;
  const edition = await waitForEdition();
  if (!edition) return null;
  if (siteImages(edition.site).includes(name)) return image;
  const slugs = edition.publicTexts(now).map(({ slug }) => slug);
  return (await isReferredTo(`"${MEDIA_PATH}${name}"`, edition.digest, slugs)) ? image : null;
}
