import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { HighlightsPage } from "~/features/library/highlights/highlights-page";
import { listHighlights } from "~/features/library/highlights/list-highlights.server";
import libraryStyles from "~/features/library/library.css";
import { HIGHLIGHTS_PATH } from "~/features/library/library-paths";
import { requireReader } from "~/features/library/require-reader.server";
import { pageNumber, SEARCH_PARAMETER } from "~/features/library/search-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Your highlights", "The passages you have highlighted.");

export const handle: RouteHandle = { metricsName: HIGHLIGHTS_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return null;
  const { searchParams } = new URL(args.request.url);
  return listHighlights(
    { userId: reader.viewer.user.id, edition: reader.edition },
    {
      words: searchParams.get(SEARCH_PARAMETER) ?? "",
      page: pageNumber(searchParams.get("page")),
      now: new Date(),
    },
  );
}

export default function Highlights() {
  const list = useLoaderData<typeof loader>();
  return list && <HighlightsPage {...list} />;
}
