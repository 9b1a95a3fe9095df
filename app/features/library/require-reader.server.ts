import type { AppLoadContext } from "@remix-run/node";
import type { Viewer } from "~/features/accounts/viewer";
import { findViewerDetail, requireSubscriber } from "~/features/accounts/viewer.server";
import { type ProgressRow, READING_PROGRESS } from "~db/queries/reading-progress";
import { type TextReading, textReading } from "~db/queries/text-readings";
import { currentEdition, waitForEdition } from "./current-edition.server";
import type { Edition } from "./edition";

type Args = { request: Request; context: AppLoadContext };

/** Seconds after which a browser may ask again for a library that is still being set up. */
const RETRY_AFTER = 5;

/** A member, and the edition they read. */
export type Reader = { viewer: Viewer; edition: Edition };

/**
 * Guard of every page of the library: its member and the edition. Anyone else is redirected to the landing page
 * (specification, 2). Null if the session could not be read: the page is loading until the browser's retry. Throws
 * a 503 Response while a new installation is still reading its first edition.
 */
export async function requireReader(args: Args): Promise<Reader | null> {
  const viewer = await requireSubscriber(args);
  return viewer && { viewer, edition: await requireEdition() };
}

/** The same with how far they are in every text. */
export async function requireReaderWithProgress(
  args: Args,
): Promise<(Reader & { progress: ProgressRow[] }) | null> {
  const member = await requireSubscriberWithProgress(args);
  if (!member) return null;
  const edition = await requireEdition();
  return { viewer: member.viewer, edition, progress: await member.readProgress() };
}

/** The same with what they have stored about one text. Throws a 404 Response if there is none that is published. */
export async function requireReaderOf(
  slug: string,
  args: Args,
): Promise<(Reader & { reading: TextReading }) | null> {
  const detail = textReading(slug);
  // PostgreSQL is not asked for whatever an address may contain, part of which it would reject
  const isPublished = (edition: Edition | null) => Boolean(edition?.find(slug, new Date()));
  const viewer = await requireSubscriber(args, isPublished(currentEdition()) ? detail : null);
  if (!viewer) return null;
  const edition = await requireEdition();
  if (!isPublished(edition)) throw new Response(null, { status: 404 });
  return { viewer, edition, reading: await findViewerDetail(args, viewer, detail) };
}

/** Guard of what does without an edition: the subscribed viewer, as `requireSubscriber`, and how to read their progress. */
export async function requireSubscriberWithProgress(
  args: Args,
): Promise<{ viewer: Viewer; readProgress: () => Promise<ProgressRow[]> } | null> {
  const viewer = await requireSubscriber(args, READING_PROGRESS);
  return viewer && { viewer, readProgress: () => findViewerDetail(args, viewer, READING_PROGRESS) };
}

/** The edition; throws a 503 Response while a new installation is still reading its first one. */
export async function requireEdition(): Promise<Edition> {
  const edition = await waitForEdition();
  if (!edition) {
    throw new Response("The library is being set up. Try again in a moment.", {
      status: 503,
      headers: { "Retry-After": String(RETRY_AFTER) },
    });
  }
  return edition;
}
