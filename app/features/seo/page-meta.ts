import type { MetaDescriptor } from "@remix-run/node";
import { BOOK_TITLE } from "~/book";

type PageMeta = {
  /** The whole document title. */
  title: string;
  description: string;
  /** The page's own path, without query: its canonical address. */
  path: string;
  /** Keeps the page out of search results; such a page gets no canonical address and no preview card. */
  noindex?: boolean;
};

/** A match as Remix passes it to `meta`; only the root's data is read. */
type Match = { id: string; data?: unknown } | undefined;

/**
 * The head of a page: title, description, and either `noindex` or canonical address, Open Graph and
 * Twitter card. Pass the `matches` of the route's `meta` arguments: the site's origin comes from the root's
 * data, and if that is missing (the root failed), addresses are left out.
 */
export function pageMeta(
  { title, description, path, noindex = false }: PageMeta,
  matches: readonly Match[],
): MetaDescriptor[] {
  const named: MetaDescriptor[] = [{ title }, { name: "description", content: description }];
  if (noindex) return [...named, { name: "robots", content: "noindex" }];

  const origin = publicOrigin(matches);
  if (!origin) return named;
  const address = origin + path;
  return [
    ...named,
    { tagName: "link", rel: "canonical", href: address },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: BOOK_TITLE },
    { property: "og:locale", content: "en_US" },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: address },
    { property: "og:image", content: `${origin}/share.png` },
    { property: "og:image:type", content: "image/png" },
    { property: "og:image:width", content: "1200" },
    { property: "og:image:height", content: "630" },
    { property: "og:image:alt", content: SHARE_IMAGE_ALT },
    { name: "twitter:card", content: "summary_large_image" },
    { name: "twitter:title", content: title },
    { name: "twitter:description", content: description },
    { name: "twitter:image", content: `${origin}/share.png` },
    { name: "twitter:image:alt", content: SHARE_IMAGE_ALT },
  ];
}

const SHARE_IMAGE_ALT = `${BOOK_TITLE}, a book: a golden line winding over dark hills toward a rising sun.`;

/** The site's origin (`PUBLIC_URL`) from the root loader's data, or null where the root has none. */
export function publicOrigin(matches: readonly Match[]): string | null {
  const data = matches.find((match) => match?.id === "root")?.data;
  if (typeof data !== "object" || data === null || !("publicUrl" in data)) return null;
  return typeof data.publicUrl === "string" ? data.publicUrl : null;
}
