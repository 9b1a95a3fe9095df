import { cookieName, signedCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import { updateReadingSettings } from "~db/queries/users";
import type { User } from "~db/schema";
import { changeReadingSettings, type ReadingSettings, toReadingSettings } from "./reading-settings";

const NAME = "reading";
const LIFE_SECONDS = 365 * 24 * 60 * 60;

/** Whose settings they are: the signed-in user, if any, and the browser by its Cookie header. */
type Reader = {
  user: Pick<User, "id" | "readingSettings"> | null;
  cookies: string | null;
};

/** Returns the name of the cookie with a browser's reading settings. Responses to requests with it are private. */
export const readingCookieName = () => cookieName(NAME);

const readingCookie = () => signedCookie(NAME, LIFE_SECONDS);

/**
 * Returns the reading settings of the account, or else of the browser; null if nothing was chosen. An account without
 * any takes over those of the browser.
 */
export async function findReadingSettings({
  user,
  cookies,
}: Reader): Promise<ReadingSettings | null> {
  if (user?.readingSettings) return toReadingSettings(user.readingSettings);
  const stored: unknown = await readingCookie().parse(cookies);
  if (!stored) return null;
  const settings = toReadingSettings(stored);
  if (user) {
    await updateReadingSettings(user.id, settings, { unlessStored: true }).catch((error: unknown) =>
      log().warn({ err: error, userId: user.id }, "an account could not take over settings"),
    );
  }
  return settings;
}

/**
 * Changes the reading settings of the account, if any. Returns the Set-Cookie value that keeps them in the browser for
 * a year, or null for a value that is no choice.
 */
export async function saveReadingSettings(
  reader: Reader,
  fields: Record<string, unknown>,
): Promise<string | null> {
  const current = await findReadingSettings(reader);
  const changed = changeReadingSettings(current ?? toReadingSettings(null), fields);
  if (!changed) return null;
  if (reader.user) await updateReadingSettings(reader.user.id, changed);
  return readingCookie().serialize(changed);
}
