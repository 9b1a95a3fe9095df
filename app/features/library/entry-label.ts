import type { ExtraKind } from "~db/schema";
import type { EditionEntry } from "./edition";

/** Labels of the kinds of extras. */
export const EXTRA_LABELS: Readonly<Record<ExtraKind, string>> = {
  practice: "Practice",
  "notebook-page": "Notebook page",
  "audio-walk": "Audio walk",
};

/** Returns the label beside a text's title, such as `Chapter 3`. */
export function labelOf({ kind, extraKind, position }: EditionEntry): string {
  return kind === "chapter" || extraKind === null ? `Chapter ${position}` : EXTRA_LABELS[extraKind];
}
