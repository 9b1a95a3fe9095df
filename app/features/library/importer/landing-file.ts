import { z } from "zod";
import { oneLine, unknownField } from "~/features/markdown/front-matter";
import { type FileProblem, parseFields } from "~/features/markdown/yaml-fields";
import type { LandingImage, LandingWords } from "../landing-words";
import { mediaName } from "../media-name";
import type { MediaFile } from "./media-files.server";

/** The file that replaces the landing page's words and pictures, beside the folders of the texts. */
export const LANDING_FILE = "landing.yml";

/** Maximum length in characters, twice what its fields can hold. */
const MAX_LENGTH = 16_384;

/** Width to which link previews scale a picture, in pixels. Smaller pictures become thumbnails. */
const MIN_SHARE_WIDTH = 600;

const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => unknownField(issue) ?? "wanted fields, each on a line of its own",
  });

const list = <Item extends z.ZodType>(item: Item, count: number) =>
  z.array(item, `wanted a list of ${count}`).length(count, `wanted a list of ${count}`);

const picture = strict({ file: oneLine(200), alt: oneLine(200) });

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

/** An edition's files by NFC path: the usable ones, and the reasons why others are unusable. */
type Files = { media: ReadonlyMap<string, MediaFile>; unusable: ReadonlyMap<string, string> };

/**
 * Reads an edition's `landing.yml` and resolves its pictures to the edition's images. Reports all problems with their
 * lines.
 */
export function readLandingFile(
  text: string,
  { media, unusable }: Files,
): { words: LandingWords } | { problems: FileProblem[] } {
  if (text.length > MAX_LENGTH) {
    return { problems: [{ line: 1, problem: `has more than ${MAX_LENGTH} characters` }] };
  }
  const parsed = parseFields(text, schema);
  if (parsed.kind === "rejected") return parsed;
  const { photos, share, ...words } = parsed.fields;
  const problems: FileProblem[] = [];
  const imageOf = (found: z.infer<typeof picture> | undefined): LandingImage | undefined => {
    if (!found) return undefined;
    const path = found.file.normalize();
    const image = media.get(path);
    if (!image?.width || !image.height) {
      const problem = `${found.file}: ${unusable.get(path) ?? "there is no such image"}`;
      problems.push({ line: lineNaming(found.file, text), problem });
      return undefined;
    }
    const { mediaType, width, height } = image;
    return { name: mediaName(image), mediaType, width, height, alt: found.alt };
  };
  const hero = imageOf(photos?.hero);
  const author = imageOf(photos?.author);
  const shared = imageOf(share);
  if (share && shared && !isShareable(shared)) {
    const problem = `${share.file}: wanted a PNG or JPEG at least ${MIN_SHARE_WIDTH} pixels wide, such as 1200 by 630`;
    problems.push({ line: lineNaming(share.file, text), problem });
  }
  if (problems.length > 0) return { problems };
  return {
    words: {
      ...words,
      ...((hero || author) && { photos: { ...(hero && { hero }), ...(author && { author }) } }),
      ...(shared && { share: shared }),
    },
  };
}

/** Whether programs that show link previews accept an image. Few support newer formats. */
function isShareable({ mediaType, width }: LandingImage): boolean {
  return ["image/png", "image/jpeg"].includes(mediaType) && width >= MIN_SHARE_WIDTH;
}

function lineNaming(file: string, text: string): number {
  return text.slice(0, Math.max(0, text.indexOf(file))).split("\n").length;
}
