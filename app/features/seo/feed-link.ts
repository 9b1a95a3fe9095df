import type { MetaDescriptor } from "@remix-run/node";
import { BOOK_TITLE } from "~/book";
import { FEED_PATH } from "~/features/newsletter/newsletter-paths";

/** By which feed readers find the newsletter's feed from a page. */
export const feedLink: MetaDescriptor = {
  tagName: "link",
  rel: "alternate",
  type: "application/atom+xml",
  title: `Letters from ${BOOK_TITLE}`,
  href: FEED_PATH,
};
