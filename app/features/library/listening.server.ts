import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { upsertListeningPlace } from "~db/queries/reading-progress";
import type { Edition } from "./edition";

/** Playback is not resumed this close to either end of a sound, in seconds. */
const NEAR_END_S = 5;

const placeSchema = z.object({ slug: z.string(), second: z.number().min(0) });

/**
 * Keeps where a member stopped listening. The beginning and the end of a sound are no place, and one behind its end
 * is its end. Nothing is written for a text that is not published or has no sound.
 */
export async function keepListeningPlace(
  { userId, edition }: { userId: string; edition: Edition },
  fields: Record<string, FieldValue>,
): Promise<"kept" | "invalid" | "unknown-text" | "failed"> {
  const parsed = placeSchema.safeParse(fields);
  if (!parsed.success) return "invalid";
  const { slug, second } = parsed.data;
  const sound = edition.find(slug, new Date())?.sound;
  if (!sound) return "unknown-text";
  const end = (sound.duration ?? Number.POSITIVE_INFINITY) - NEAR_END_S;
  const isPlace = second > NEAR_END_S && second < end;
  try {
    await upsertListeningPlace({ userId, slug, second: isPlace ? Math.floor(second) : null });
    return "kept";
  } catch (error) {
    log().error({ err: error, userId }, "the place in a sound could not be stored");
    return "failed";
  }
}
