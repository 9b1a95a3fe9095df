import { useRouteLoaderData } from "@remix-run/react";
import type { NamedLink, Site, SiteImage } from "./site";

/** What every page shows of the site; part of the root loader's data. */
export type PageSite = Pick<
  Site,
  | "isSample"
  | "title"
  | "subtitle"
  | "slogan"
  | "author"
  | "publisher"
  | "language"
  | "dir"
  | "contact"
  | "share"
> & {
  cover: SiteImage | null;
  shops: NamedLink[];
  social: NamedLink[];
  /** The titles and addresses of its own pages. */
  pages: { slug: string; title: string }[];
  /** Ids of the landing page's sections. */
  sections: string[];
  hasColors: boolean;
  /** Part of the addresses of its icons and style sheet, which changes with them. */
  version: string;
};

/** A match as Remix passes it to `meta`. Only the root's data is read. */
export type Match = { id: string; data?: unknown } | undefined;

/** Returns the site from the matches of a route's `meta` arguments; null if the root loader failed. */
export function siteOf(matches: readonly Match[]): PageSite | null {
  const root = matches.find((match) => match?.id === "root");
  return (root?.data as { site?: PageSite } | undefined)?.site ?? null;
}

/** Returns the site. Throws if the root loader failed, as on the error page. */
export function useSite(): PageSite {
  const site = useSiteOrNull();
  if (!site) throw new Error("useSite needs the root loader's data");
  return site;
}

/** The route of the author's desk that shows a site before it is published. */
const PREVIEW_ROUTE = "routes/desk_.$part_.preview";

/** Returns the site, on a preview the one that it previews; null if the root loader failed. */
export function useSiteOrNull(): PageSite | null {
  const root = useRouteLoaderData("root") as { site?: PageSite } | undefined;
  const preview = useRouteLoaderData(PREVIEW_ROUTE) as { site?: PageSite } | undefined;
  return preview?.site ?? root?.site ?? null;
}

/** Returns the path of an author's page. */
export const pagePath = (slug: string) => `/pages/${slug}`;

/** Returns the address of an icon, picture, style sheet or manifest of the site. */
export const siteFile = ({ isSample, version }: PageSite, name: string) =>
  isSample ? `/${name}` : `/site-files/${name}?${version}`;

/** Returns the attributes of an element with the book's own words; none where they are English, as the page is. */
export const bookWords = ({ language, dir }: Pick<Site, "language" | "dir">) =>
  language === "en" ? {} : { lang: language, dir };

/** Returns those of the author's pages that bind buyers: the terms and the privacy page. */
export const legalPages = <Page extends { slug: string }>(pages: readonly Page[]) =>
  pages.filter(({ slug }) => slug === "terms" || slug === "privacy");

/** Returns the class of a text that begins with a large initial, as in scripts that have capital letters. */
export const initialClass = ({ language, dir }: Pick<Site, "language" | "dir">) =>
  dir === "rtl" || /^(?:ja|ko|th|zh)\b/.test(language) ? "" : "with-initial";
