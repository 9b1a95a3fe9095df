import fraunces from "@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2";
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import type { LinkDescriptor } from "@remix-run/node";

/** Preloads of the two font files that `fonts.css` names, for the document's head. */
export const fontLinks: LinkDescriptor[] = [fraunces, inter].map((href) => ({
  rel: "preload",
  href,
  as: "font",
  type: "font/woff2",
  crossOrigin: "anonymous",
}));
