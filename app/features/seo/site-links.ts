import { type PageSite, siteFile } from "~/features/site/page-site";

/** Returns the links to the site's icons, web manifest and own colors. */
export function siteLinks(site: PageSite) {
  const at = (name: string) => siteFile(site, name);
  return [
    { rel: "icon", href: at("favicon.ico"), sizes: site.isSample ? "32x32" : "48x48" },
    ...(site.isSample ? [{ rel: "icon", href: at("favicon.svg"), type: "image/svg+xml" }] : []),
    { rel: "apple-touch-icon", href: at("apple-touch-icon.png") },
    { rel: "manifest", href: at("site.webmanifest") },
    ...(site.hasColors ? [{ rel: "stylesheet", href: at("colors.css") }] : []),
  ];
}
