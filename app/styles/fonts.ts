import type { LinkDescriptor } from "@remix-run/node";
import fraunces from "./typefaces/fraunces.woff2";
import inter from "./typefaces/inter.woff2";

/** Preloads of the two font files that every page needs, for the document's head. */
export const fontLinks: LinkDescriptor[] = [fraunces, inter].map((href) => ({
  rel: "preload",
  href,
  as: "font",
  type: "font/woff2",
  crossOrigin: "anonymous",
}));
