import { z } from "zod";
import { oneLine, unknownField } from "~/features/markdown/front-matter";
import {
  type FileProblem,
  lineOf,
  type ParsedFields,
  parseFields,
  rejected,
} from "~/features/markdown/yaml-fields";
import type { Site, SiteImage, SitePage } from "./site";
import { unreadableAccent, unreadableDark } from "./site-colors";

/** The file that makes the whole site the author's, in the edition's folder. */
export const SITE_FILE = "site.yml";

/** Maximum length in characters, more than its fields can hold. */
const MAX_LENGTH = 65_536;

/** Width to which link previews scale a picture, in pixels. Smaller pictures become thumbnails. */
const MIN_SHARE_WIDTH = 600;

/** Languages written from right to left, by their usual script. */
const RIGHT_TO_LEFT =
  /^(?:ar|arc|ckb|dv|fa|he|ks|ps|sd|syr|ug|ur|yi)(?:-|$)|-(?:Arab|Hebr|Syrc|Thaa)(?:-|$)/i;

/** Returns an object schema that names unknown fields. */
export const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => unknownField(issue) ?? "wanted fields, each on a line of its own",
  });

const list = <Item extends z.ZodType>(item: Item, max: number) =>
  z.array(item, "wanted a list").max(max, `wanted at most ${max}`);

/** Makes a field optional: null where it is absent. */
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value ?? null);

/** A picture of the edition, with its description. */
export const picture = strict({ file: oneLine(200), alt: oneLine(200) });

const webAddress = z
  .url({ protocol: /^https$/, error: "wanted an address that begins with https://" })
  .max(500, "has more than 500 characters");
const link = strict({ name: oneLine(60), url: webAddress });
const titledText = strict({ title: oneLine(120), text: oneLine(400) });

const AVERAGE = "wanted a number from 1 to 5";
const STARS = "wanted a whole number from 1 to 5";

const hexColor = z
  .string("wanted a color in quotes, such as '#b3541e'")
  .regex(/^#[0-9a-f]{6}$/i, "wanted a color such as '#b3541e'")
  .transform((color) => color.toLowerCase());

const refused =
  (check: (color: string) => string | null) => (color: string, ctx: z.RefinementCtx) => {
    const message = check(color);
    if (message) ctx.addIssue({ code: "custom", message });
  };

/** Schema of a language tag (BCP 47). */
export const languageTag = z
  .string("wanted a language such as en or pt-BR")
  .transform((tag, ctx) => {
    try {
      return Intl.getCanonicalLocales(tag)[0] ?? tag;
    } catch {
      ctx.addIssue({ code: "custom", message: "wanted a language such as en or pt-BR" });
      return z.NEVER;
    }
  });

/** Schema of a text's direction. */
export const direction = z.enum(["ltr", "rtl"], "wanted ltr or rtl");

/** Returns the usual direction of a language's script. */
export const directionOf = (language: string) => (RIGHT_TO_LEFT.test(language) ? "rtl" : "ltr");

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

const price = z
  .string("wanted a price with its currency, such as 19.90 EUR")
  .regex(/^\d{1,6}(?:\.\d{1,3})? [A-Z]{3}$/, "wanted a price with its currency, such as 19.90 EUR")
  .refine((text) => CURRENCIES.has(text.slice(-3)), "has an unknown currency")
  .transform((text) => {
    const [amount = "", currency = ""] = text.split(" ");
    return { amount, currency };
  });

const ABOUT = "About the book";

const about = z
  .union([oneLine(400), strict({ heading: oneLine(120).default(ABOUT), text: oneLine(400) })], {
    error: "wanted a text, or fields 'heading' and 'text'",
  })
  .transform((words) => (typeof words === "string" ? { heading: ABOUT, text: words } : words));

/** A reader's review, of whom only name and words must be given. */
export const review = strict({
  name: oneLine(60),
  role: oneLine(60).optional(),
  rating: z.int(STARS).min(1, STARS).max(5, STARS).optional(),
  text: oneLine(600),
});

/** The seller's contact details. */
export const contact = strict({
  publisher: oneLine(60),
  street: oneLine(60),
  city: oneLine(60),
  email: oneLine(60),
  phone: oneLine(40),
});

const schema = strict({
  title: oneLine(120),
  subtitle: orNull(oneLine(300)),
  slogan: orNull(oneLine(120)),
  author: orNull(oneLine(120)),
  publisher: orNull(oneLine(120)),
  language: languageTag.default("en"),
  dir: direction.optional(),
  cover: strict({ file: oneLine(200), alt: oneLine(200).optional() }).optional(),
  colors: strict({
    accent: orNull(hexColor.superRefine(refused(unreadableAccent))),
    dark: orNull(hexColor.superRefine(refused(unreadableDark))),
  }).prefault({}),
  book: strict({ price: orNull(price), buy: list(link, 12).default([]) }).prefault({}),
  claims: strict({
    rating: orNull(
      strict({ value: z.number(AVERAGE).min(1, AVERAGE).max(5, AVERAGE), source: link }),
    ),
    reviews_count: orNull(z.int("wanted a whole number").positive("wanted more than 0")),
    readers: orNull(oneLine(80)),
    badge: orNull(oneLine(20)),
  }).prefault({}),
  about: orNull(about),
  features: list(titledText, 6).default([]),
  preview_chapters: list(titledText, 6).default([]),
  biography: orNull(
    strict({ lead: orNull(oneLine(300)), paragraphs: list(oneLine(800), 4).default([]) }),
  ),
  reviews: list(review, 12).default([]),
  faq: list(strict({ question: oneLine(200), answer: oneLine(1_000) }), 30).default([]),
  newsletter: strict({
    heading: oneLine(120).default("Stay Connected"),
    promise: orNull(oneLine(300)),
  }).prefault({}),
  premium: strict({
    heading: oneLine(120).default("Premium membership"),
    text: orNull(oneLine(400)),
    benefits: list(titledText, 6).default([]),
  }).prefault({}),
  contact: contact.partial().default({}),
  photos: strict({ hero: picture, author: picture }).partial().optional(),
  share: picture.optional(),
  ebook: strict({ checked_by: orNull(oneLine(120)) }).prefault({}),
  social: list(link, 12).default([]),
});

/** Parses and validates a file of the site's words. Reports all problems with their lines. */
export function parseWords<Schema extends z.ZodType>(
  text: string,
  words: Schema,
): ParsedFields<z.infer<Schema>> {
  if (text.length <= MAX_LENGTH) return parseFields(text, words);
  const problem = `has more than ${MAX_LENGTH} characters`;
  return rejected([{ line: 1, problem }]);
}

/** Parses and validates a `site.yml`. Reports all problems with their lines. */
export const parseSiteFile = (text: string) => parseWords(text, schema);

/** Finds an edition's image by its path, or says why there is none. */
export type FindImage = (path: string) => Omit<SiteImage, "alt"> | { reason: string };

/** Reads an edition's `site.yml` and finds its pictures. Reports all problems with their lines. */
export function readSiteFile(
  text: string,
  findImage: FindImage,
  pages: SitePage[],
): { site: Site } | { problems: FileProblem[] } {
  const parsed = parseSiteFile(text);
  if (parsed.kind === "rejected") return parsed;
  const { fields } = parsed;
  const { cover, photos, share } = fields;
  const pictures = resolvePictures(
    {
      cover: cover && { file: cover.file, alt: cover.alt ?? `The cover of ${fields.title}` },
      hero: photos?.hero,
      author: photos?.author,
      share,
    },
    text,
    findImage,
  );
  if ("problems" in pictures) return pictures;
  return { site: siteOf(fields, pictures.images, pages) };
}

type PictureName = "cover" | "hero" | "author" | "share";
type Pictures = Partial<Record<PictureName, SiteImage>>;

/** Finds the pictures that a file names. Reports missing and unsuitable ones with their lines. */
export function resolvePictures(
  named: { [name in PictureName]?: { file: string; alt: string } | undefined },
  text: string,
  findImage: FindImage,
): { images: Pictures } | { problems: FileProblem[] } {
  const images: Pictures = {};
  const problems: FileProblem[] = [];
  for (const [name, picture] of Object.entries(named)) {
    if (!picture) continue;
    const { file, alt } = picture;
    const found = findImage(file.normalize());
    const line = lineOf(file, text);
    if ("reason" in found) {
      problems.push({ line, problem: `${file}: ${found.reason}` });
    } else if (name === "share" && !isShareable(found)) {
      const wanted = `wanted a PNG or JPEG at least ${MIN_SHARE_WIDTH} pixels wide, such as 1200 by 630`;
      problems.push({ line, problem: `${file}: ${wanted}` });
    } else {
      images[name as PictureName] = { ...found, alt };
    }
  }
  return problems.length > 0 ? { problems } : { images };
}

/** Whether programs that show link previews accept an image. Few support newer formats. */
function isShareable({ mediaType, width }: Omit<SiteImage, "alt">): boolean {
  return ["image/png", "image/jpeg"].includes(mediaType) && width >= MIN_SHARE_WIDTH;
}

/** Returns the site that `site.yml` describes. Absent fields stay empty; labels get plain words. */
export function siteOf(fields: z.infer<typeof schema>, images: Pictures, pages: SitePage[]): Site {
  const { book, claims, preview_chapters: previewChapters, ...words } = fields;
  const { reviews_count: reviewsCount, ...claimed } = claims;
  return {
    ...words,
    ...claimed,
    isSample: false,
    publisher: words.publisher ?? words.contact.publisher ?? null,
    dir: words.dir ?? directionOf(words.language),
    cover: images.cover ?? null,
    price: book.price,
    shops: book.buy,
    reviewsCount,
    previewChapters,
    reviewsHeading: "What readers say",
    photos: { hero: images.hero ?? null, author: images.author ?? null },
    share: images.share ?? null,
    ebook: { checkedBy: words.ebook.checked_by },
    pages,
  };
}

/** Returns the site of an author whose `site.yml` cannot be read and never could: a name and nothing else. */
export const unnamedSite = (title: string): Site =>
  siteOf({ ...schema.parse({ title: "Unnamed" }), title }, {}, []);
