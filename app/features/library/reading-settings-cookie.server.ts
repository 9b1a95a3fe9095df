import type { Cookie } from "@remix-run/node";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import {
  changeReadingSettings,
  DEFAULT_READING_SETTINGS,
  type ReadingSettings,
} from "./reading-settings";

const NAME = "reading";
const LIFE_SECONDS = 365 * 24 * 60 * 60;

function readingCookie(): Cookie {
  return signedCookie(NAME, LIFE_SECONDS);
}

/** Reads the settings from a Cookie header; the defaults if they are missing or invalid. */
export async function readReadingSettings(header: string | null): Promise<ReadingSettings> {
  if (!hasCookie(header, cookieName(NAME))) return DEFAULT_READING_SETTINGS;
  const stored: unknown = await readingCookie().parse(header);
  const isObject = stored !== null && typeof stored === "object";
  return (
    changeReadingSettings(DEFAULT_READING_SETTINGS, isObject ? stored : {}) ??
    DEFAULT_READING_SETTINGS
  );
}

/** Returns the Set-Cookie value that stores reading settings for a year. */
export function keepReadingSettings(settings: ReadingSettings): Promise<string> {
  return readingCookie().serialize(settings);
}
