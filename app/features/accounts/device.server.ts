import Bowser from "bowser";

/** A browser as its user recognizes it; null for what the User-Agent does not say. */
export type Device = {
  /** Such as Firefox. */
  browser: string | null;
  /** The operating system, such as Windows. */
  system: string | null;
};

/** The number of User-Agent characters examined; longer than any browser's. */
const MAX_LENGTH = 512;

/** Returns the browser's and operating system's names. Nothing else of a User-Agent is stored. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return { browser: null, system: null };
  const { browser, os } = Bowser.parse(userAgent.slice(0, MAX_LENGTH));
  return { browser: browser.name || null, system: os.name || null };
}
