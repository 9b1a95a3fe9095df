import type { LoaderFunctionArgs } from "@remix-run/node";
import { loadReading } from "~/features/library/load-reading.server";
import { requireReader } from "~/features/library/require-reader.server";
import { SEARCH_PARAMETER } from "~/features/library/search-paths";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { DocumentKind } from "~db/schema";

/** What the page of a chapter or an extra loads: its text, and what its reader has stored about it. */
export async function readingPage(kind: DocumentKind, args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return null;
  const slug = args.params.slug ?? "";
  const search = new URL(args.request.url).searchParams.get(SEARCH_PARAMETER);
  const reading = await loadReading(reader, { kind, slug, search });
  if (!reading) throw new Response(null, { status: 404 });
  const { html, ...data } = reading;
  return withRenderedOnly(data, { html }, args.context);
}
