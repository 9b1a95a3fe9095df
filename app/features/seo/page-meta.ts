import type { MetaDescriptor } from "@remix-run/node";
import { PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import { type Match, type PageSite, siteFile, siteOf } from "~/features/site/page-site";
import type { SiteImage } from "~/features/site/site";
import { pageTitle } from "./page-title";

type PageMeta = {
  /** The whole document title. */
  title: string;
  description: string;
  /** The page's path, without query; its canonical address. */
  path: string;
};

/** Returns the metadata of a page that search engines must not list, without canonical address and preview card. */
export function unlistedMeta(
  matches: readonly Match[],
  title: string,
  description: string,
): MetaDescriptor[] {
  return [
    { title: pageTitle(matches, title) },
    { name: "description", content: description },
    { name: "robots", content: "noindex" },
  ];
}

/** Returns the metadata of the 404 page. */
export const notFoundMeta = (matches: readonly Match[]): MetaDescriptor[] => [
  { title: pageTitle(matches, "Page not found") },
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
  const site = siteOf(matches);
  if (!origin || !site) return named;
  const address = origin + path;
  const share = shareImage(origin, site);
  return [
    ...named,
    { tagName: "link", rel: "canonical", href: address },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: site.title },
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

type ShareImage = Omit<SiteImage, "name"> & { address: string };

/** Returns the picture of link previews: the author's own, or else one that is made of the cover. */
export function shareImage(origin: string, site: PageSite): ShareImage {
  if (site.share) return { ...site.share, address: origin + PREVIEW_MEDIA_PATH + site.share.name };
  const drawing = "a golden line winding over dark hills toward a rising sun.";
  return {
    address: origin + siteFile(site, "share.png"),
    mediaType: "image/png",
    width: 1200,
    height: 630,
    alt: site.isSample ? `${site.title}, a book: ${drawing}` : `The book ${site.title}`,
  };
}

/** Returns the site's origin (`PUBLIC_URL`) from the root loader's data; null if it failed. */
export function publicOrigin(matches: readonly Match[]): string | null {
  const root = matches.find((match) => match?.id === "root")?.data as
    | { publicUrl?: string }
    | undefined;
  return root?.publicUrl ?? null;
}
