import type { LinkDescriptor } from "@remix-run/node";

/**
 * The `Link` header (RFC 8288, preload) of a page's style sheets and fonts, which its first paint needs. Browsers
 * request them before they have read the page, and CDNs turn the header into 103 Early Hints. Null for a page without
 * any.
 *
 * @param links the page's links as its routes declare them, relative addresses on this site only
 */
export function preloadHeader(links: readonly LinkDescriptor[]): string | null {
  const styles = new Set<string>();
  const fonts = new Set<string>();
  for (const link of links) {
    if (!("href" in link) || link.href === undefined || !/^\/[\w./-]+$/.test(link.href)) continue;
    if (link.rel === "stylesheet" && link.media === undefined) {
      styles.add(`<${link.href}>; rel=preload; as=style`);
    } else if (link.rel === "preload" && link.as === "font") {
      // without CORS the font would be requested a second time for the style sheet
      fonts.add(`<${link.href}>; rel=preload; as=font; type="${link.type}"; crossorigin`);
    }
  }
  return [...styles, ...fonts].join(", ") || null;
}
