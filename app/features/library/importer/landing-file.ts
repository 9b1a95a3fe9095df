import { z } from "zod";
import { oneLine } from "~/features/markdown/front-matter";
import { type FileProblem, parseFields } from "~/features/markdown/yaml-fields";
import type { Site, SitePage } from "~/features/site/site";
import {
  type FindImage,
  pictureFields as picture,
  resolvePictures,
  strict,
} from "~/features/site/site-file";
import { withLandingWords } from "../landing-words";

/** The file that replaces words and pictures of the sample's landing page, where there is no `site.yml`. */
export const LANDING_FILE = "landing.yml";

/** Maximum length in characters, twice what its fields can hold. */
const MAX_LENGTH = 16_384;

const list = <Item extends z.ZodType>(item: Item, count: number) =>
  z.array(item, `wanted a list of ${count}`).length(count, `wanted a list of ${count}`);

const schema = strict({
  about: oneLine(400),
  features: list(oneLine(300), 3),
  chapters: list(strict({ title: oneLine(120), text: oneLine(300) }), 3),
  biography: strict({
    lead: oneLine(300),
    paragraphs: z
      .array(oneLine(800), "wanted a list of paragraphs")
      .min(1, "wanted a list of 1 to 4 paragraphs")
      .max(4, "wanted a list of 1 to 4 paragraphs"),
  }),
  reviews: list(
    strict({
      name: oneLine(60),
      role: oneLine(60),
      rating: z
        .int("wanted a whole number from 1 to 5")
        .min(1, "wanted a whole number from 1 to 5")
        .max(5, "wanted a whole number from 1 to 5"),
      text: oneLine(400),
    }),
    3,
  ),
  contact: strict({
    publisher: oneLine(60),
    street: oneLine(60),
    city: oneLine(60),
    email: oneLine(60),
    phone: oneLine(40),
  }),
  photos: strict({ hero: picture, author: picture }).partial(),
  share: picture,
}).partial();

/**
 * Reads an edition's `landing.yml` and finds its pictures. Returns the sample's site with these words. Reports all
 * problems with their lines.
 */
export function readLandingFile(
  text: string,
  findImage: FindImage,
  pages: SitePage[],
): { site: Site } | { problems: FileProblem[] } {
  if (text.length > MAX_LENGTH) {
    return { problems: [{ line: 1, problem: `has more than ${MAX_LENGTH} characters` }] };
  }
  const parsed = parseFields(text, schema);
  if (parsed.kind === "rejected") return parsed;
  const { photos, share: shared, ...words } = parsed.fields;
  const pictures = resolvePictures({ ...photos, share: shared }, text, findImage);
  if ("problems" in pictures) return pictures;
  const { hero, author, share } = pictures.images;
  return {
    site: withLandingWords(
      {
        ...words,
        photos: { ...(hero && { hero }), ...(author && { author }) },
        ...(share && { share }),
      },
      pages,
    ),
  };
}
