import type { MetaDescriptor } from "@remix-run/node";
import { BOOK_TITLE } from "~/book";
import { FEED_PATH } from "~/features/newsletter/newsletter-paths";

/** The newsletter's feed, for feed readers to discover. */
export const feedLink: MetaDescriptor = {
  tagName: "link",
  rel: "alternate",
  type: "application/atom+xml",
  title: `Letters from ${BOOK_TITLE}`,
  href: FEED_PATH,
};
