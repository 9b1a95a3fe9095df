import { z } from "zod";
import { oneLine, unknownField } from "~/features/markdown/front-matter";
import { type FileProblem, lineOf, parseFields } from "~/features/markdown/yaml-fields";
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

/** A picture of the edition, with its description. */
export const pictureFields = strict({ file: oneLine(200), alt: oneLine(200) });

const webAddress = z
  .url({ protocol: /^https$/, error: "wanted an address that begins with https://" })
  .max(500, "has more than 500 characters");
const link = strict({ name: oneLine(60), url: webAddress });
const titledText = strict({ title: oneLine(120), text: oneLine(400) });

const stars = (number: z.ZodNumber) =>
  number.min(1, "wanted a number from 1 to 5").max(5, "wanted a number from 1 to 5");

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

const about = z.union(
  [oneLine(400), strict({ heading: oneLine(120).optional(), text: oneLine(400) })],
  {
    error: "wanted a text, or fields 'heading' and 'text'",
  },
);

const schema = strict({
  title: oneLine(120),
  subtitle: oneLine(300).optional(),
  slogan: oneLine(120).optional(),
  author: oneLine(120).optional(),
  publisher: oneLine(120).optional(),
  language: languageTag.default("en"),
  dir: direction.optional(),
  cover: strict({ file: oneLine(200), alt: oneLine(200).optional() }).optional(),
  colors: strict({
    accent: hexColor.superRefine(refused(unreadableAccent)).optional(),
    dark: hexColor.superRefine(refused(unreadableDark)).optional(),
  }).optional(),
  book: strict({ price: price.optional(), buy: list(link, 12).default([]) }).optional(),
  claims: strict({
    rating: strict({
      value: stars(z.number("wanted a number from 1 to 5")),
      source: link,
    }).optional(),
    reviews_count: z.int("wanted a whole number").positive("wanted more than 0").optional(),
    readers: oneLine(80).optional(),
    badge: oneLine(20).optional(),
  }).optional(),
  about: about.optional(),
  features: list(titledText, 6).default([]),
  preview_chapters: list(titledText, 6).default([]),
  biography: strict({
    lead: oneLine(300).optional(),
    paragraphs: list(oneLine(800), 4).default([]),
  }).optional(),
  reviews: list(
    strict({
      name: oneLine(60),
      role: oneLine(60).optional(),
      rating: stars(z.int("wanted a whole number from 1 to 5")).optional(),
      text: oneLine(600),
    }),
    12,
  ).default([]),
  faq: list(strict({ question: oneLine(200), answer: oneLine(1_000) }), 30).default([]),
  newsletter: strict({
    heading: oneLine(120).optional(),
    promise: oneLine(300).optional(),
  }).optional(),
  premium: strict({
    heading: oneLine(120).optional(),
    text: oneLine(400).optional(),
    benefits: list(titledText, 6).default([]),
  }).optional(),
  contact: strict({
    publisher: oneLine(60),
    street: oneLine(60),
    city: oneLine(60),
    email: oneLine(60),
    phone: oneLine(40),
  })
    .partial()
    .optional(),
  photos: strict({ hero: pictureFields, author: pictureFields }).partial().optional(),
  share: pictureFields.optional(),
  social: list(link, 12).default([]),
});

/** What `site.yml` says, with its pictures still named by their files. */
export type SiteFields = z.infer<typeof schema>;

/** Parses and validates a `site.yml`. Reports all problems with their lines. */
export function parseSiteFile(text: string) {
  if (text.length > MAX_LENGTH) {
    const problem = `has more than ${MAX_LENGTH} characters`;
    return { kind: "rejected" as const, problems: [{ line: 1, problem }] };
  }
  return parseFields(text, schema);
}

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
export function siteOf(fields: SiteFields, images: Pictures, pages: SitePage[]): Site {
  const { claims = {}, about, premium, newsletter, colors, book, biography } = fields;
  const aboutText = typeof about === "string" ? { text: about } : about;
  return {
    isSample: false,
    title: fields.title,
    subtitle: fields.subtitle ?? null,
    slogan: fields.slogan ?? null,
    author: fields.author ?? null,
    publisher: fields.publisher ?? fields.contact?.publisher ?? null,
    language: fields.language,
    dir: fields.dir ?? directionOf(fields.language),
    cover: images.cover ?? null,
    colors: { accent: colors?.accent ?? null, dark: colors?.dark ?? null },
    price: book?.price ?? null,
    shops: book?.buy ?? [],
    rating: claims.rating ?? null,
    reviewsCount: claims.reviews_count ?? null,
    readers: claims.readers ?? null,
    badge: claims.badge ?? null,
    about: aboutText ? { heading: "About the book", ...aboutText } : null,
    features: fields.features,
    previewChapters: fields.preview_chapters,
    biography: biography
      ? { lead: biography.lead ?? null, paragraphs: biography.paragraphs }
      : null,
    reviews: fields.reviews,
    reviewsHeading: "What readers say",
    faq: fields.faq,
    newsletter: { heading: "Stay Connected", promise: null, ...newsletter },
    premium: {
      heading: premium?.heading ?? "Premium membership",
      text: premium?.text ?? null,
      benefits: premium?.benefits ?? [],
    },
    contact: fields.contact ?? {},
    photos: { hero: images.hero ?? null, author: images.author ?? null },
    share: images.share ?? null,
    social: fields.social,
    pages,
  };
}

/** Returns the site of an author whose `site.yml` cannot be read and never could: a name and nothing else. */
export function unnamedSite(title: string): Site {
  return siteOf(
    { title, language: "en", features: [], preview_chapters: [], reviews: [], faq: [], social: [] },
    {},
    [],
  );
}
