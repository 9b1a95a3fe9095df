import Bowser from "bowser";

/** What somebody recognises a browser of theirs by; null where its User-Agent does not say. */
export type Device = {
  /** Such as Firefox. */
  browser: string | null;
  /** The operating system, such as Windows. */
  system: string | null;
};

/** Longer than any browser's; the rest of a longer User-Agent is not examined. */
const MAX_LENGTH = 512;

/** Browser and operating system by name alone, which is all that is stored of a User-Agent. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return { browser: null, system: null };
  const { browser, os } = Bowser.parse(userAgent.slice(0, MAX_LENGTH));
  return { browser: browser.name || null, system: os.name || null };
}
