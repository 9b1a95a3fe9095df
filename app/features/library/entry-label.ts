import type { ExtraKind } from "~db/schema";
import type { EditionEntry } from "./edition";

/** Labels of the kinds of extras. */
const EXTRA_LABELS: Readonly<Record<ExtraKind, string>> = {
  practice: "Practice",
  "notebook-page": "Notebook page",
  "audio-walk": "Audio walk",
};

type Labeled = Pick<EditionEntry, "extraKind" | "number" | "label" | "title">;

/** Returns the label of a text in a list, such as `Chapter 3`, `Prologue` or `Practice`. */
export function labelOf({ extraKind, number, label }: Labeled): string {
  return extraKind ? EXTRA_LABELS[extraKind] : (label ?? `Chapter ${number}`);
}

/** Returns the label above a text's title; null if the title says the same. */
export function labelAbove(entry: Labeled): string | null {
  const label = labelOf(entry);
  return label === entry.title ? null : label;
}

/** Returns a text's title in a list without labels, such as `Chapter 3: Small Hinges`. */
export function labeledTitle(entry: Labeled): string {
  const label = entry.extraKind ? null : labelAbove(entry);
  return label === null ? entry.title : `${label}: ${entry.title}`;
}
