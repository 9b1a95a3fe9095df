import { utcDate } from "~/ui/utc-date";

/** The day of an instant, such as "December 22, 2026", which no end of a line breaks apart. */
export function mailDate(at: Date): string {
  return utcDate(at).replaceAll(" ", "\u00a0");
}
