import { join } from "node:path";
import { isDraft } from "../draft";
import { minutesToRead } from "../reading-time";
import type { FolderCheck } from "./import-edition.server";
import { durationOf } from "./media-files.server";
import type { SourceDocument } from "./read-source.server";

/** Names of the table's columns. */
export const COLUMNS = "KIND ORDER TITLE WORDS MINUTES PUBLISHED PUBLIC SOUND".split(" ");

/** Whether a column is left-aligned, as those of numbers are not. */
export const isOfWords = (column: number) =>
  !["ORDER", "WORDS", "MINUTES"].includes(COLUMNS[column] ?? "");

/** Returns a folder's texts as rows of a table: chapters, then extras, in their order, and what is published at `now`. */
export async function tabulateEdition({ source, wordCounts }: FolderCheck, now: Date) {
  const documents = source.documents.toSorted(
    (one, other) => one.kind.localeCompare(other.kind) || one.order - other.order,
  );
  const rows: { document: SourceDocument; cells: string[] }[] = [];
  for (const document of documents) {
    const words = wordCounts.get(document.path);
    const cells = [
      document.extraKind ?? document.kind,
      String(document.order),
      document.title,
      words === undefined ? "?" : words.toLocaleString("en"),
      words === undefined ? "?" : String(minutesToRead(words)),
      describePublication(document, now),
      document.isPublic ? "yes" : "",
      document.audio === null
        ? ""
        : describeDuration(await durationOf(join(source.folder, document.audio))),
    ];
    rows.push({ document, cells });
  }
  return rows;
}

function describePublication({ publishAt }: SourceDocument, now: Date): string {
  if (publishAt === null) return "yes";
  if (isDraft({ publishAt })) return "draft";
  return publishAt <= now ? describeDay(publishAt) : `from ${describeDay(publishAt)}`;
}

/** Formats a day in UTC, with the time unless it is midnight. */
export function describeDay(time: Date): string {
  const [day, clock] = time.toISOString().slice(0, 16).split("T");
  return clock === "00:00" ? `${day}` : `${day} ${clock}Z`;
}

function describeDuration(seconds: number | null): string {
  if (seconds === null) return "yes";
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
