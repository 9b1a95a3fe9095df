import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import {
  ChangeHighlightPage,
  NewHighlightPage,
} from "~/features/library/highlights/highlight-form";
import {
  loadHighlight,
  loadNewHighlight,
} from "~/features/library/highlights/load-highlight.server";
import libraryStyles from "~/features/library/library.css";
import { requireReader } from "~/features/library/require-reader.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) =>
  unlistedMeta(
    matches,
    data && "sentences" in data ? "Highlight a passage" : "Change a highlight",
    "A passage, its color, and a note.",
  );

export const handle: RouteHandle = { metricsName: "/premium/highlights" };

/** The form of a highlight with this id, or of a new one at `/new`. */
export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return null;
  const { viewer, edition } = reader;
  const { id = "" } = args.params;
  const { searchParams } = new URL(args.request.url);
  const [slug, block] = [searchParams.get("text") ?? "", Number(searchParams.get("block") ?? 1)];
  const found =
    id === "new"
      ? await loadNewHighlight(edition, { slug, block })
      : await loadHighlight(viewer.user.id, { id, edition });
  if (!found) throw new Response(null, { status: 404 });
  return found;
}

export default function Highlight() {
  const found = useLoaderData<typeof loader>();
  if (!found) return null;
  return "sentences" in found ? (
    <NewHighlightPage {...found} />
  ) : (
    <ChangeHighlightPage {...found} />
  );
}
