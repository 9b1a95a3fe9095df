import { z } from "zod";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { upsertListeningPosition } from "~db/queries/reading-progress";
import type { Edition } from "./edition";

/** Playback does not resume this close to either end of a sound, in seconds. */
const NEAR_END_S = 5;

const positionSchema = z.object({ slug: z.string(), second: z.number().min(0) });

/**
 * Stores where a member stopped listening. Positions at the start or end of a sound are not stored. Later positions
 * count as its end. Writes nothing for a text that is unpublished or has no sound.
 */
export async function saveListeningPosition(
  { userId, edition }: { userId: string; edition: Edition },
  fields: Record<string, FieldValue>,
): Promise<"saved" | "invalid" | "unknown-text" | "failed"> {
  const parsed = positionSchema.safeParse(fields);
  if (!parsed.success) return "invalid";
  const { slug, second } = parsed.data;
  const entry = edition.find(slug, new Date());
  if (!entry?.sound) return "unknown-text";
  const end = (entry.sound.duration ?? Number.POSITIVE_INFINITY) - NEAR_END_S;
  const isPosition = second > NEAR_END_S && second < end;
  const position = { slug: entry.id, second: isPosition ? Math.floor(second) : null };
  try {
    await upsertListeningPosition({ userId, ...position });
    return "saved";
  } catch (error) {
    log().error({ err: error, userId }, "the position in a sound could not be stored");
    return "failed";
  }
}
