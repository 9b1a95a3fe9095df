import type { MetaDescriptor } from "@remix-run/node";
import { FEED_PATH, lettersFrom } from "~/features/newsletter/newsletter-paths";
import { type Match, siteOf } from "~/features/site/page-site";

/** Returns the link to the newsletter's feed, for feed readers to discover. */
export const feedLink = (matches: readonly Match[]): MetaDescriptor => ({
  tagName: "link",
  rel: "alternate",
  type: "application/atom+xml",
  title: lettersFrom(siteOf(matches)?.title ?? ""),
  href: FEED_PATH,
});
