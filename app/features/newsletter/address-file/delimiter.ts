const DELIMITERS = [",", ";", "\t", "|"];

/** The delimiter that a first line has most of, outside quotes; a comma if it has none. */
export function findDelimiter(line: string): string {
  const unquoted = line.replace(/"[^"]*("|$)/g, "");
  const count = (delimiter: string) => unquoted.split(delimiter).length - 1;
  return DELIMITERS.toSorted((one, other) => count(other) - count(one))[0] ?? ",";
}

/** The delimiter that a spreadsheet program's hint names ('sep=;' as the first line); null for another line. */
export function readDelimiterHint(line: string): string | null {
  return /^sep=([^" ]) *$/i.exec(line)?.[1] ?? null;
}
