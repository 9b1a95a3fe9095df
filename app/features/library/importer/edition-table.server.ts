import { join } from "node:path";
import pMap from "p-map";
import { isDraft } from "../draft";
import { minutesToRead } from "../reading-time";
import type { FolderCheck } from "./import-edition.server";
import { durationOf } from "./media-files.server";
import type { SourceDocument } from "./read-source.server";

const COLUMNS = ["KIND", "ORDER", "TITLE", "WORDS", "MINUTES", "PUBLISHED", "PUBLIC", "SOUND"];

/** Maximum number of sounds whose length is read at a time. */
const CONCURRENT_SOUNDS = 4;

/** Whether a column is left-aligned, as those of numbers are not. */
export const isOfWords = (column: number) =>
  !["ORDER", "WORDS", "MINUTES"].includes(COLUMNS[column] ?? "");

/** A text as lists show it. */
export type OutlinedText = {
  document: SourceDocument;
  /** Null if the text has a mistake. */
  words: number | null;
  minutes: number | null;
  /** Its sound's length, as in `12:05`, or `yes` if that is unknown; empty without one. */
  sound: string;
};

/** Returns a folder's texts in their order: chapters, then extras. */
export function outlineEdition({ source, wordCounts }: FolderCheck): Promise<OutlinedText[]> {
  const documents = source.documents.toSorted(
    (one, other) => one.kind.localeCompare(other.kind) || one.order - other.order,
  );
  const outline = async (document: SourceDocument) => {
    const words = wordCounts.get(document.path) ?? null;
    const { audio } = document;
    const sound = audio && describeDuration(await durationOf(join(source.folder, audio)));
    return { document, words, minutes: words && minutesToRead(words), sound: sound ?? "" };
  };
  return pMap(documents, outline, { concurrency: CONCURRENT_SOUNDS });
}

/** Returns a folder's texts as rows of cells below a heading, and what is published at `now`. */
export async function tabulateEdition(check: FolderCheck, now: Date): Promise<string[][]> {
  const texts = await outlineEdition(check);
  return [
    COLUMNS,
    ...texts.map(({ document, words, minutes, sound }) => [
      document.extraKind ?? document.kind,
      String(document.order),
      document.title,
      words?.toLocaleString("en") ?? "?",
      String(minutes ?? "?"),
      describePublication(document, now),
      document.isPublic ? "yes" : "",
      sound,
    ]),
  ];
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
