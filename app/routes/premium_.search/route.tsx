import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import contentsStyles from "~/features/library/contents.css";
import libraryStyles from "~/features/library/library.css";
import { SEARCH_PATH } from "~/features/library/library-paths";
import { requireReader } from "~/features/library/require-reader.server";
import { searchLibrary } from "~/features/library/search.server";
import { SearchPage } from "~/features/library/search-page";
import { pageNumber, SEARCH_PARAMETER } from "~/features/library/search-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: libraryStyles },
  { rel: "stylesheet", href: contentsStyles },
];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) =>
  unlistedMeta(
    matches,
    data?.search?.query ? `Search: ${data.search.query}` : "Search",
    "Search the chapters and extras.",
  );

export const handle: RouteHandle = { metricsName: SEARCH_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return { search: null };
  const { searchParams } = new URL(args.request.url);
  return {
    search: await searchLibrary(reader.edition, {
      words: searchParams.get(SEARCH_PARAMETER) ?? "",
      page: pageNumber(searchParams.get("page")),
      now: new Date(),
    }),
  };
}

export default function Search() {
  const { search } = useLoaderData<typeof loader>();
  return search && <SearchPage search={search} />;
}
