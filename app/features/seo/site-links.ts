import type { LinkDescriptor } from "@remix-run/node";

/** Icons and web manifest of every page. The files are in `public/`. */
export const siteLinks: LinkDescriptor[] = [
  { rel: "icon", href: "/favicon.ico", sizes: "32x32" },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
  { rel: "manifest", href: "/site.webmanifest" },
];
