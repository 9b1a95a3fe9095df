import { CsvError, parse } from "csv-parse/sync";
import type { CsvRecord } from "./record-splitter";

/** The cells of a record; null if its quotes make no sense. `line` is the number of the line it begins on. */
export type ParsedRecord = { line: number; text: string; cells: string[] | null };

/**
 * Parses records that are not too long. They are parsed together, and one by one only if that fails; then a
 * stray quote within a cell counts as text.
 */
export function parseRecords(records: CsvRecord[], delimiter: string): ParsedRecord[] {
  const areComplete = records.every(({ kind }) => kind === "complete");
  const rows = areComplete
    ? parseText(records.map(({ text }) => text).join("\n"), delimiter)
    : null;
  if (rows?.length === records.length) {
    return records.map(({ line, text }, index) => ({ line, text, cells: rows[index] ?? null }));
  }
  return records.map(({ line, text }) => ({ line, text, cells: parseAlone(text, delimiter) }));
}

function parseAlone(text: string, delimiter: string): string[] | null {
  const rows = parseText(text, delimiter) ?? parseText(text, delimiter, { relax_quotes: true });
  return rows?.length === 1 ? (rows[0] ?? null) : null;
}

/** Null if the text is not well-formed. Rows may have any number of cells. */
function parseText(
  text: string,
  delimiter: string,
  options: { relax_quotes?: boolean } = {},
): string[][] | null {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: "\n",
      relax_column_count: true,
      trim: true,
      ...options,
    });
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}
