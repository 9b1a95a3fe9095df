import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { upsertListeningPosition } from "~db/queries/reading-progress";
import type { Edition } from "./edition";

/** Playback is not resumed this close to either end of a sound, in seconds. */
const NEAR_END_S = 5;

const positionSchema = z.object({ slug: z.string(), second: z.number().min(0) });

/**
 * Stores where a member stopped listening. The beginning and the end of a sound are not stored, and a position
 * behind its end is its end. Nothing is written for a text that is not published or has no sound.
 */
export async function saveListeningPosition(
  { userId, edition }: { userId: string; edition: Edition },
  fields: Record<string, FieldValue>,
): Promise<"saved" | "invalid" | "unknown-text" | "failed"> {
  const parsed = positionSchema.safeParse(fields);
  if (!parsed.success) return "invalid";
  const { slug, second } = parsed.data;
  const sound = edition.find(slug, new Date())?.sound;
  if (!sound) return "unknown-text";
  const end = (sound.duration ?? Number.POSITIVE_INFINITY) - NEAR_END_S;
  const isPosition = second > NEAR_END_S && second < end;
  try {
    await upsertListeningPosition({ userId, slug, second: isPosition ? Math.floor(second) : null });
    return "saved";
  } catch (error) {
    log().error({ err: error, userId }, "the position in a sound could not be stored");
    return "failed";
  }
}
