/** Themes of the members' pages; `device` follows the device's preference. */
export const THEMES = ["paper", "night", "device"] as const;

/** Text sizes of the reading room, from small to large. */
export const TEXT_SIZES = ["1", "2", "3", "4"] as const;

export type Theme = (typeof THEMES)[number];
export type TextSize = (typeof TEXT_SIZES)[number];

/** A member's reading settings. */
export type ReadingSettings = { theme: Theme; size: TextSize };

export const DEFAULT_READING_SETTINGS: ReadingSettings = { theme: "device", size: "2" };

/** Path that stores a changed theme or text size, by POST. */
export const READING_SETTINGS_PATH = "/premium/reading";

/** Id of the form, so the page reopens there without JavaScript. */
export const READING_SETTINGS_ID = "reading-settings";

/**
 * Returns the settings after a post of `theme`, `size` or both. Missing values stay. Null if a value is invalid, or if
 * neither is given.
 */
export function changeReadingSettings(
  current: ReadingSettings,
  { theme = current.theme, size = current.size }: { theme?: unknown; size?: unknown },
): ReadingSettings | null {
  const changed = {
    theme: THEMES.find((known) => known === theme),
    size: TEXT_SIZES.find((known) => known === size),
  };
  return changed.theme && changed.size ? (changed as ReadingSettings) : null;
}
