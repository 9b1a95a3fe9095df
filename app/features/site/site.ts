/** An image of the edition that anyone may see. */
export type SiteImage = {
  /** File name below `PREVIEW_MEDIA_PATH`, or below `folder`, where only its author sees it. */
  name: string;
  folder?: string;
  mediaType: string;
  width: number;
  height: number;
  alt: string;
};

/** A web page of somebody else's, such as a shop. */
export type NamedLink = { name: string; url: string };

/** The seller's contact details; every part is optional. */
export type Contact = {
  publisher?: string;
  street?: string;
  city?: string;
  email?: string;
  phone?: string;
};

/** A reader's review (specification, 3: static review item). `rating` is out of five. */
export type Review = { name: string; role?: string; rating?: number; text: string };

/** A title and a text, such as a feature card. */
export type TitledText = { title: string; text: string };

/** A page of Markdown from the edition's folder `pages`. */
export type SitePage = { slug: string; title: string; html: string };

/** The site as readers see it: names, words and pictures. */
export type Site = {
  /** Whether it is the sample's or the sample's with changes from `landing.yml`. */
  isSample: boolean;
  title: string;
  subtitle: string | null;
  slogan: string | null;
  author: string | null;
  publisher: string | null;
  /** A BCP 47 tag, and the direction of its script. */
  language: string;
  dir: "ltr" | "rtl";
  cover: SiteImage | null;
  colors: { accent: string | null; dark: string | null };
  /** The printed book. `amount` is decimal, `currency` an ISO 4217 code. */
  price: { amount: string; currency: string } | null;
  shops: NamedLink[];
  rating: { value: number; source: NamedLink | null } | null;
  reviewsCount: number | null;
  readers: string | null;
  badge: string | null;
  about: { heading: string; text: string } | null;
  features: TitledText[];
  previewChapters: TitledText[];
  biography: { lead: string | null; paragraphs: string[] } | null;
  reviews: Review[];
  reviewsHeading: string;
  faq: { question: string; answer: string }[];
  newsletter: { heading: string; promise: string | null };
  premium: { heading: string; text: string | null; benefits: TitledText[] };
  contact: Contact;
  photos: { hero: SiteImage | null; author: SiteImage | null };
  /** The picture in link previews. */
  share: SiteImage | null;
  /** Who has checked the e-book by EPUB Accessibility 1.1 and WCAG 2.2 AA; null if nobody has. */
  ebook: { checkedBy: string | null };
  social: NamedLink[];
  pages: SitePage[];
};

/** Returns the names of all images that the site and its link previews show. */
export function siteImages({ cover, photos, share, pages }: Site): string[] {
  const inPages = pages.flatMap(({ html }) =>
    [...html.matchAll(PAGE_IMAGE)].map(([, name = ""]) => name),
  );
  const images = [cover, photos.hero, photos.author, share];
  return [...images.flatMap((image) => (image ? [image.name] : [])), ...inPages];
}

const PAGE_IMAGE = /<img [^>]*?src="[^"]*\/([^"/]+)"/g;

/** Returns who holds the rights in the book. */
export const holderOf = ({
  publisher,
  author,
  title,
}: Pick<Site, "publisher" | "author" | "title">) => publisher ?? author ?? title;

/** Returns the seller's name and, as far as it is set, address. */
export const sellerOf = (site: Site) =>
  [site.contact.publisher ?? holderOf(site), site.contact.street, site.contact.city]
    .filter(Boolean)
    .join(", ");

/** Whether the landing page shows a photograph of the stock host. */
export const hasStockPhoto = ({ isSample, photos }: Pick<Site, "isSample" | "photos">) =>
  isSample && !(photos.hero && photos.author);
