/**
 * The forms that are kept, by their addresses, with the heading of the page that keeps them: a closed set, since what was posted
 * is posted there again.
 */
const KEPT_FORMS: readonly (readonly [path: RegExp, heading: string])[] = [
  [/^\/premium\/notes$/, "Your notes aren’t saved yet"],
  [/^\/premium\/highlights\/save$/, "Your highlight isn’t saved yet"],
  [/^\/account\/email$/, "Your new address isn’t saved yet"],
  [/^\/desk\/letters\/[\da-f-]{36}$/, "Your letter isn’t saved yet"],
  [/^\/desk\/(?:book|site)\/text\?file=[^&#]+$/, "Your text isn’t saved yet"],
];

/** Fields of the page's log-in form, which goes with what was posted. */
export const LOG_IN_AS = "log-in-as";
const LOG_IN_FIELDS: readonly string[] = [LOG_IN_AS, "password"];

/** What was posted, with what its page needs to post it again. */
export type UnsavedForm = {
  to: string;
  heading: string;
  /** Names and values; no password. */
  fields: [string, string][];
  /** Why it was not saved, in a sentence or two; null if a toast says so. */
  message: string | null;
  /** Email address to log in with, "" if unknown; null if no sign-in is needed. */
  signInAs: string | null;
  /** Where the password is confirmed first, in another tab; null if it need not be. */
  confirmAt: string | null;
};

/** Returns the form with this address; null for any other text. */
export function keptForm(path: unknown): Pick<UnsavedForm, "to" | "heading"> | null {
  if (typeof path !== "string") return null;
  const heading = KEPT_FORMS.find(([pattern]) => pattern.test(path))?.[1];
  return heading === undefined ? null : { to: path, heading };
}

/** Returns the posted names and values to post again. */
export const keptFields = (fields: Record<string, string | string[] | undefined>) =>
  Object.entries(fields)
    .filter(([name]) => !LOG_IN_FIELDS.includes(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]));
