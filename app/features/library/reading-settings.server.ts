import type { AppLoadContext } from "@remix-run/node";
import { findSession } from "~/features/accounts/viewer.server";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import { updateReadingSettings } from "~db/queries/users";
import { changeReadingSettings, type ReadingSettings, toReadingSettings } from "./reading-settings";

const NAME = "reading";
const LIFE_SECONDS = 365 * 24 * 60 * 60;

type Args = { request: Request; context: AppLoadContext };

/** Returns the name of the cookie with a browser's reading settings. Responses to requests with it are private. */
export const readingCookieName = () => cookieName(NAME);

const readingCookie = () => signedCookie(NAME, LIFE_SECONDS);

const cookiesOf = (request: Request) => request.headers.get("Cookie");

/** Returns whether a request has a cookie with reading settings, valid or not. */
export const hasReadingCookie = (request: Request) =>
  hasCookie(cookiesOf(request), readingCookieName());

/**
 * Returns the reading settings of the viewer's account, or else of the browser; null if nothing was chosen. An account
 * without any takes over those of the browser.
 */
export async function findReadingSettings(args: Args): Promise<ReadingSettings | null> {
  const user = await findUser(args);
  if (user?.readingSettings) return toReadingSettings(user.readingSettings);
  const stored: unknown = await readingCookie().parse(cookiesOf(args.request));
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
 * Changes the reading settings of the viewer's account, if any. Returns the Set-Cookie value that keeps them in the
 * browser for a year, or null for a value that is no choice.
 */
export async function saveReadingSettings(
  args: Args,
  fields: Record<string, unknown>,
): Promise<string | null> {
  const current = await findReadingSettings(args);
  const changed = changeReadingSettings(current ?? toReadingSettings(null), fields);
  if (!changed) return null;
  const user = await findUser(args);
  if (user) await updateReadingSettings(user.id, changed);
  return readingCookie().serialize(changed);
}

async function findUser(args: Args) {
  const found = await findSession(args);
  return found === "unknown" ? null : (found?.user ?? null);
}
