/** The themes of the members' pages; `device` is what the device asks for. */
export const THEMES = ["paper", "night", "device"] as const;

/** The steps of the text size in the reading room, from small to large. */
export const TEXT_SIZES = ["1", "2", "3", "4"] as const;

export type Theme = (typeof THEMES)[number];
export type TextSize = (typeof TEXT_SIZES)[number];

/** How a member likes to read. */
export type ReadingSettings = { theme: Theme; size: TextSize };

export const DEFAULT_READING_SETTINGS: ReadingSettings = { theme: "device", size: "2" };

/** Where the form posts a changed theme or text size. */
export const READING_SETTINGS_PATH = "/premium/reading";

/** The id of the form's place, so that without JavaScript the page opens there again. */
export const READING_SETTINGS_ID = "reading-settings";

/**
 * The settings after a form with a `theme`, a `size` or both has been posted. What is missing stays; null if a
 * value is none of ours, or there is nothing to change.
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
