import { type AppLoadContext, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import type { Viewer } from "~/features/accounts/viewer";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { DocumentKind } from "~db/schema";
import { currentEdition, waitForEdition } from "./current-edition.server";
import type { Edition, EditionEntry } from "./edition";
import { documentPath } from "./library-paths";
import { loadReading } from "./load-reading.server";
import { SEARCH_PARAMETER } from "./search-paths";

type Args = { request: Request; context: AppLoadContext };

/** Retry-After while the library is being set up, in seconds. */
const RETRY_AFTER = 5;

/** A member and their edition. */
type Reader = { viewer: Viewer; edition: Edition };

/**
 * Guards every page of the library and returns its member and edition. Redirects anyone else to the landing page
 * (specification, 2). Null if the session could not be read: the page shows a loading state until the browser retries.
 * Throws a 503 Response while a new installation reads its first edition.
 */
export async function requireReader(args: Args): Promise<Reader | null> {
  const viewer = await requireSubscriber(args);
  return viewer && { viewer, edition: await requireEdition() };
}

/**
 * Guards the page of a text and returns its member's reading, its HTML for rendering only. Throws a 404 Response if
 * there is none of this kind.
 */
export async function requireReading(kind: DocumentKind, args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  const { slug = "" } = args.params;
  // also for a signed-out visitor, who logs in at the page's address
  redirectFormerSlug(args, currentEdition()?.find(slug, new Date()) ?? null, documentPath);
  if (!reader) return null;
  const search = new URL(args.request.url).searchParams.get(SEARCH_PARAMETER);
  const found = await loadReading(reader, { kind, slug, search });
  if (!found) throw new Response(null, { status: 404 });
  const { html, ...reading } = found;
  return withRenderedOnly(reading, { html }, args.context);
}

/** Throws a 301 Response to the path of a text that was found by a former slug, with the request's search. */
export function redirectFormerSlug(
  { params, request }: LoaderFunctionArgs,
  entry: EditionEntry | null,
  pathOf: (entry: EditionEntry) => string,
): void {
  if (!entry || entry.slug === params.slug) return;
  throw redirect(pathOf(entry) + new URL(request.url).search, 301);
}

/** Returns the edition. Throws a 503 Response while a new installation reads its first one. */
export async function requireEdition(): Promise<Edition> {
  const edition = await waitForEdition();
  if (!edition) {
    throw new Response("The library is being set up. Please try again in a moment.", {
      status: 503,
      headers: { "Retry-After": String(RETRY_AFTER) },
    });
  }
  return edition;
}
