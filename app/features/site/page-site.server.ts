import { hash } from "node:crypto";
import type { PageSite } from "./page-site";
import type { Site } from "./site";

const known = new WeakMap<Site, PageSite>();

/** Returns what every page shows of a site. */
export function pageSite(site: Site): PageSite {
  const found = known.get(site) ?? toPageSite(site);
  known.set(site, found);
  return found;
}

function toPageSite(site: Site): PageSite {
  const { isSample, title, subtitle, slogan, author, publisher, language, dir } = site;
  const { contact, share, cover, shops, social, pages, colors } = site;
  return {
    isSample,
    title,
    subtitle,
    slogan,
    author,
    publisher,
    language,
    dir,
    contact,
    share,
    cover,
    shops,
    social,
    pages: pages.map((page) => ({ slug: page.slug, title: page.title })),
    sections: sectionsOf(site),
    hasColors: colors.accent !== null || colors.dark !== null,
    version: digestOf(JSON.stringify([title, cover, colors])),
  };
}

const digestOf = (text: string) => hash("sha256", text, "base64url").slice(0, 12);

function sectionsOf(site: Site): string[] {
  const { isSample, about, features, biography, photos, reviews, rating, faq } = site;
  const has: Record<string, boolean> = {
    about: about !== null || features.length > 0,
    preview: true,
    author: isSample || biography !== null || photos.author !== null,
    reviews: reviews.length > 0 || rating !== null,
    purchase: true,
    faq: faq.length > 0,
    newsletter: true,
  };
  return Object.keys(has).filter((id) => has[id]);
}
