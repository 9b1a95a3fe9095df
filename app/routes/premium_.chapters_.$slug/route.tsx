import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import libraryStyles from "~/features/library/library.css";
import { loadReading } from "~/features/library/load-reading.server";
import { ReadingRoom } from "~/features/library/reading-room";
import { requireReaderOf } from "~/features/library/require-reader.server";
import { SEARCH_PARAMETER } from "~/features/library/search-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  unlistedMeta(
    data?.document.title ?? "Members’ area",
    data?.document.summary ?? "A text for premium members.",
  );

export const handle: RouteHandle = { metricsName: "/premium/chapters" };

export async function loader(args: LoaderFunctionArgs) {
  const slug = args.params.slug ?? "";
  const reader = await requireReaderOf(slug, args);
  if (!reader) return null;
  const search = new URL(args.request.url).searchParams.get(SEARCH_PARAMETER);
  const reading = await loadReading(reader, { kind: "chapter", slug, search });
  if (!reading) throw new Response(null, { status: 404 });
  const { html, ...data } = reading;
  return withRenderedOnly(data, { html }, args.context);
}

export default function Chapter() {
  const reading = useLoaderData<typeof loader>();
  // a property that is not enumerable is not spread
  return reading && <ReadingRoom {...reading} html={reading.html} />;
}
