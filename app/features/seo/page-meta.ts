import type { MetaDescriptor } from "@remix-run/node";
import { BOOK_TITLE } from "~/book";
import type { LandingImage } from "~/features/library/landing-words";
import { PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import { pageTitle } from "./page-title";

type PageMeta = {
  /** The whole document title. */
  title: string;
  description: string;
  /** The page's path, without query; its canonical address. */
  path: string;
};

/** A match as Remix passes it to `meta`. Only the root's data is read. */
type Match = { id: string; data?: unknown } | undefined;

/** Returns the metadata of a page that search engines must not list, without canonical address and preview card. */
export function unlistedMeta(title: string, description: string): MetaDescriptor[] {
  return [
    { title: pageTitle(title) },
    { name: "description", content: description },
    { name: "robots", content: "noindex" },
  ];
}

/** Metadata of the 404 page. */
export const notFoundMeta: MetaDescriptor[] = [
  { title: pageTitle("Page not found") },
  { name: "robots", content: "noindex" },
];

/**
 * Returns a page's metadata: title, description, canonical address, Open Graph and Twitter card. Pass the `matches` of
 * the route's `meta` arguments. The origin comes from the root's data. If that is missing (the root failed), addresses
 * are omitted.
 */
export function pageMeta(
  { title, description, path }: PageMeta,
  matches: readonly Match[],
): MetaDescriptor[] {
  const named: MetaDescriptor[] = [{ title }, { name: "description", content: description }];
  const origin = publicOrigin(matches);
  if (!origin) return named;
  const address = origin + path;
  const share = shareImage(origin, matches);
  return [
    ...named,
    { tagName: "link", rel: "canonical", href: address },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: BOOK_TITLE },
    { property: "og:locale", content: "en_US" },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: address },
    { property: "og:image", content: share.address },
    { property: "og:image:type", content: share.mediaType },
    { property: "og:image:width", content: String(share.width) },
    { property: "og:image:height", content: String(share.height) },
    { property: "og:image:alt", content: share.alt },
    { name: "twitter:card", content: "summary_large_image" },
    { name: "twitter:title", content: title },
    { name: "twitter:description", content: description },
    { name: "twitter:image", content: share.address },
    { name: "twitter:image:alt", content: share.alt },
  ];
}

type ShareImage = Omit<LandingImage, "name"> & { address: string };

/** Returns the picture of link previews: the edition's own, if any (`share` in landing.yml). */
export function shareImage(origin: string, matches: readonly Match[]): ShareImage {
  const own = rootData(matches).share;
  if (own) return { ...own, address: origin + PREVIEW_MEDIA_PATH + own.name };
  return {
    address: `${origin}/share.png`,
    mediaType: "image/png",
    width: 1200,
    height: 630,
    alt: `${BOOK_TITLE}, a book: a golden line winding over dark hills toward a rising sun.`,
  };
}

/** Returns the site's origin (`PUBLIC_URL`) from the root loader's data; null if it failed. */
export function publicOrigin(matches: readonly Match[]): string | null {
  return rootData(matches).publicUrl ?? null;
}

/** Returns the fields used here of the root loader's data; none if it failed. */
function rootData(matches: readonly Match[]): { publicUrl?: string; share?: LandingImage | null } {
  return matches.find((match) => match?.id === "root")?.data ?? {};
}
