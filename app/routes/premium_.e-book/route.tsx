import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import contentsStyles from "~/features/library/contents.css";
import { EBookPage } from "~/features/library/e-book-page";
import libraryStyles from "~/features/library/library.css";
import { E_BOOK_PATH } from "~/features/library/library-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: libraryStyles },
  { rel: "stylesheet", href: contentsStyles },
];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Your e-book", "The book for e-readers, phones and tablets.");

export const handle: RouteHandle = { metricsName: E_BOOK_PATH };

export const loader = async (args: LoaderFunctionArgs) => ({
  isMember: (await requireSubscriber(args)) !== null,
});

export default function EBook() {
  return useLoaderData<typeof loader>().isMember && <EBookPage />;
}
