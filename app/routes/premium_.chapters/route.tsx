import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { contentsPage, progressOf } from "~/features/library/contents";
import contentsStyles from "~/features/library/contents.css";
import { ContentsPage } from "~/features/library/contents-page";
import libraryStyles from "~/features/library/library.css";
import { loadReadingState } from "~/features/library/reading-progress.server";
import { requireReader } from "~/features/library/require-reader.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: libraryStyles },
  { rel: "stylesheet", href: contentsStyles },
];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Contents", "All chapters, and what comes with them.");

export const handle: RouteHandle = { metricsName: "/premium/chapters" };

export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return null;
  const page = new URL(args.request.url).searchParams.get("page") ?? "1";
  const { edition, viewer } = reader;
  const contents = contentsPage(edition, Number(page), new Date());
  if (!contents) throw new Response(null, { status: 404 });
  const state = await loadReadingState(viewer.user.id, edition);
  return { contents, progress: progressOf(contents, state) };
}

export default function Contents() {
  const loaded = useLoaderData<typeof loader>();
  return loaded && <ContentsPage {...loaded} />;
}
