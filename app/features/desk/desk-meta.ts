import type { MetaFunction } from "@remix-run/node";
import { pageTitle } from "~/features/seo/page-title";

/** Returns the `meta` export of a page of the desk. No page of it is indexed. */
export const deskMeta =
  (title: string): MetaFunction =>
  ({ matches }) => [
    { title: pageTitle(matches, `${title} · Desk`) },
    { name: "robots", content: "noindex" },
  ];
