import { stringify } from "yaml";
import type { Site, SiteImage } from "./site";

const HEAD = `# The words and pictures of your site. Save this as site.yml beside the folder 'chapters'.
# A part that you leave out is not shown.
`;

/** What the sample's site has and a site.yml cannot express. */
const SAMPLE_NOTE = `# The sample's rating, drawn cover and stock photographs are not in here: a rating needs its source, and pictures
# are files of yours.
`;

/** Returns the `site.yml` that equals a site. `fileOf` returns the path of an image in the edition's folder. */
export function siteToYaml(site: Site, fileOf: (image: SiteImage) => string): string {
  const picture = (image: SiteImage | null) =>
    image ? { file: fileOf(image), alt: image.alt } : undefined;
  const { price, shops, rating, photos, colors } = site;
  const fields = {
    title: site.title,
    subtitle: site.subtitle,
    slogan: site.slogan,
    author: site.author,
    publisher: site.publisher,
    language: site.language,
    cover: picture(site.cover),
    colors,
    book: { price: price && `${price.amount} ${price.currency}`, buy: shops },
    claims: {
      rating: rating?.source ? rating : undefined,
      reviews_count: site.reviewsCount,
      readers: site.readers,
      badge: site.badge,
    },
    about: site.about,
    features: site.features,
    preview_chapters: site.previewChapters,
    biography: site.biography,
    reviews: site.reviews,
    faq: site.faq,
    newsletter: site.newsletter,
    premium: site.premium,
    contact: site.contact,
    photos: { hero: picture(photos.hero), author: picture(photos.author) },
    share: picture(site.share),
    ebook: { checked_by: site.ebook.checkedBy },
    social: site.social,
  };
  const note = site.isSample ? SAMPLE_NOTE : "";
  return `${HEAD}${note}\n${stringify(withoutEmpty(fields), { lineWidth: 110 })}`;
}

/** Leaves out all that is empty, at any depth. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(withoutEmpty) : undefined;
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value)
    .map(([name, part]) => [name, withoutEmpty(part)] as const)
    .filter(([, part]) => part !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
