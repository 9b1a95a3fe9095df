/** The forms that are kept, by their paths: a closed set, since what was posted is posted there again. */
export const KEPT_FORMS = {
  "/premium/notes": "Your notes aren’t saved yet",
  "/premium/highlights/save": "Your highlight isn’t saved yet",
  "/account/email": "Your new address isn’t saved yet",
} as const;

export type KeptForm = keyof typeof KEPT_FORMS;

/** Fields of the page's log-in form, which goes with what was posted. */
export const LOG_IN_AS = "log-in-as";
const LOG_IN_FIELDS: readonly string[] = [LOG_IN_AS, "password"];

/** What was posted, with what its page needs to post it again. */
export type UnsavedForm = {
  to: KeptForm;
  /** Names and values; no password. */
  fields: [string, string][];
  /** Why it was not saved, in a sentence or two; null if a toast says so. */
  message: string | null;
  /** Email address to log in with, "" if unknown; null if no sign-in is needed. */
  signInAs: string | null;
};

/** Returns the form with this path; null for any other text. */
export const keptForm = (path: unknown): KeptForm | null =>
  typeof path === "string" && Object.hasOwn(KEPT_FORMS, path) ? (path as KeptForm) : null;

/** Returns the posted names and values to post again. */
export const keptFields = (fields: Record<string, string | string[] | undefined>) =>
  Object.entries(fields)
    .filter(([name]) => !LOG_IN_FIELDS.includes(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]));
