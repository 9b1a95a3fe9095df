/**
 * The reading settings: for each its label, the labels of its choices, and the choice of who has made none. The document
 * has each as an attribute, such as `data-theme`; the rules are in reading-settings.css and, for themes, in app.css.
 */
export const READING_SETTINGS = {
  theme: {
    label: "Theme",
    choices: { paper: "Paper", sepia: "Sepia", night: "Night", device: "Match device" },
    initial: "device",
  },
  typeface: {
    label: "Typeface",
    choices: { serif: "Serif", sans: "Sans", dyslexic: "OpenDyslexic" },
    initial: "serif",
  },
  size: {
    label: "Text size",
    choices: { small: "Small", medium: "Medium", large: "Large", larger: "Very large" },
    initial: "medium",
    /** Shown in place of the labels. */
    sample: "A",
  },
  leading: {
    label: "Line height",
    choices: { tight: "Tight", normal: "Normal", loose: "Loose" },
    initial: "normal",
  },
  measure: {
    label: "Width",
    choices: { narrow: "Narrow", normal: "Normal", wide: "Wide" },
    initial: "normal",
  },
  justified: { label: "Justified", choices: { no: "No", yes: "Yes" }, initial: "no" },
} as const satisfies Record<string, ReadingSetting>;

/** A reading setting; `initial` is a key of `choices`. */
export type ReadingSetting = {
  label: string;
  choices: Record<string, string>;
  initial: string;
  sample?: string;
};

type Name = keyof typeof READING_SETTINGS;

/** What a reader has chosen, by setting. */
export type ReadingSettings = { [name in Name]: keyof (typeof READING_SETTINGS)[name]["choices"] };

/** Path that stores a changed setting, by POST. */
export const READING_SETTINGS_PATH = "/reading-settings";

/** Id of the form, so the page reopens there without JavaScript. */
export const READING_SETTINGS_ID = "reading-settings";

const ALL = Object.entries(READING_SETTINGS) as [Name, ReadingSetting][];

const isChoice = ({ choices }: ReadingSetting, value: unknown) =>
  typeof value === "string" && Object.hasOwn(choices, value);

/** Returns stored settings, with the initial choice for each that is missing or unknown. */
export function toReadingSettings(stored: unknown): ReadingSettings {
  const values = Object(stored) as Record<string, unknown>;
  return Object.fromEntries(
    ALL.map(([name, setting]) => [
      name,
      isChoice(setting, values[name]) ? values[name] : setting.initial,
    ]),
  ) as ReadingSettings;
}

/** Returns the settings after a post of one or more; null if a value is none of its setting's choices. */
export function changeReadingSettings(
  current: ReadingSettings,
  fields: Record<string, unknown>,
): ReadingSettings | null {
  const given = ALL.filter(([name]) => fields[name] !== undefined);
  if (given.some(([name, setting]) => !isChoice(setting, fields[name]))) return null;
  return { ...current, ...Object.fromEntries(given.map(([name]) => [name, fields[name]])) };
}

/** Returns settings as attributes of the element that they style: `data-theme` and the others. */
export const settingAttributes = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`data-${name}`, value]));
