import type { ExtraKind } from "~db/schema";
import type { EditionEntry } from "./edition";

/** What an extra of each kind is called. */
export const EXTRA_LABELS: Readonly<Record<ExtraKind, string>> = {
  practice: "Practice",
  "notebook-page": "Notebook page",
  "audio-walk": "Audio walk",
};

/** What a text is called beside its title, such as `Chapter 3`. */
export function labelOf({ kind, extraKind, position }: EditionEntry): string {
  return kind === "chapter" || extraKind === null ? `Chapter ${position}` : EXTRA_LABELS[extraKind];
}
