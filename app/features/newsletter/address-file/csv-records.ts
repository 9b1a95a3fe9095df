import { CsvError, type Options, parse } from "csv-parse/sync";

/** Maximum record length in characters, and maximum lines of a quoted cell. */
export const MAX_RECORD_LENGTH = 64 * 1024;
const MAX_RECORD_LINES = 50;

/** Records per batch, and the characters above which a batch has fewer. */
const BATCH_RECORDS = 1_000;
const BATCH_LENGTH = 256 * 1024;

const DELIMITERS = [",", ";", "\t", "|"];

/** One record of a CSV file: its first line's number, from 1, its text, and its cells or a problem. */
export type CsvRecord = { line: number; text: string } & (
  | { cells: string[] }
  | { problem: string }
);

type Line = { number: number; text: string };

/**
 * Reads a CSV text's records in batches with constant memory, skipping blank lines. Uses the delimiter that splits
 * the first line into most cells, or that of a spreadsheet hint ('sep=;' as the first line). An unclosed quotation
 * mark loses only its line.
 */
export async function* readRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  let delimiter: string | undefined;
  let records: CsvRecord[] = [];
  let lines: Line[] = [];
  let length = 0;
  for await (const line of readLines(text)) {
    if (!delimiter) {
      const hint = /^sep=([^" ]) *$/i.exec(line.text)?.[1];
      delimiter = hint ?? findDelimiter(line.text);
      if (hint) continue;
    }
    if (line.text.length > MAX_RECORD_LENGTH) {
      const problem = `longer than ${MAX_RECORD_LENGTH} characters`;
      records.push(...parseLines(lines, delimiter).records);
      records.push({ line: line.number, text: line.text, problem });
      lines = [];
    } else {
      lines.push(line);
    }
    length += line.text.length;
    if (lines.length + records.length < BATCH_RECORDS && length < BATCH_LENGTH) continue;
    const parsed = parseLines(lines, delimiter, { isEnd: false });
    yield [...records, ...parsed.records];
    records = [];
    lines = parsed.open;
    length = textOf(lines).length;
  }
  records.push(...parseLines(lines, delimiter ?? ",").records);
  if (records.length > 0) yield records;
}

/** Characters kept of a line: just enough to detect that it is too long. */
const KEPT_LENGTH = MAX_RECORD_LENGTH + 1;

/** Reads a text's lines, without blank ones. */
async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let rest = "";
  for await (const chunk of chunks) {
    // a carriage return at the end may be half of a line ending
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > KEPT_LENGTH) rest = rest.slice(0, KEPT_LENGTH) + rest.slice(-1);
    for (const text of lines) {
      number += 1;
      if (text.trim() !== "") yield { number, text };
    }
  }
  const text = rest.replace(/\r$/, "");
  if (text.trim() !== "") yield { number: number + 1, text };
}

/** Parses lines into records. Unless `isEnd`, leaves the last ones open if their quote may be closed later. */
function parseLines(lines: Line[], delimiter: string, { isEnd = true } = {}) {
  const records: CsvRecord[] = [];
  let open = lines;
  while (open.length > 0) {
    const { rows, code } = parseRows(open, delimiter);
    let parsed = 0;
    for (const { cells, end } of rows) {
      if (end - parsed > MAX_RECORD_LINES) break;
      const text = textOf(open.slice(parsed, end));
      records.push({ line: open[parsed]?.number ?? 0, text, cells });
      parsed = end;
    }
    open = open.slice(parsed);
    const [first, ...others] = open;
    if (!first) break;
    const mayBeClosed = code === "CSV_QUOTE_NOT_CLOSED" && open.length < MAX_RECORD_LINES;
    if (mayBeClosed && !isEnd) break;
    const cells = parseAlone(first.text, delimiter);
    const problem = "a quotation mark is not closed";
    records.push({ line: first.number, text: first.text, ...(cells ? { cells } : { problem }) });
    open = others;
  }
  return { records, open };
}

/** Parses lines up to the first invalid row. Returns rows, the line count at each one's end, and the error code. */
function parseRows(lines: Line[], delimiter: string) {
  const rows: { cells: string[]; end: number }[] = [];
  const on_record: Options["on_record"] = (cells, { lines: end }) => {
    rows.push({ cells, end });
    return null;
  };
  try {
    parse(textOf(lines), { ...OPTIONS, delimiter, max_record_size: MAX_RECORD_LENGTH, on_record });
    return { rows, code: null };
  } catch (error) {
    if (error instanceof CsvError) return { rows, code: error.code };
    throw error;
  }
}

/** Parses one line, with stray quotation marks as text; null if one is not closed. */
function parseAlone(line: string, delimiter: string): string[] | null {
  try {
    return parse(line, { ...OPTIONS, delimiter, relax_quotes: true })[0] ?? null;
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** Allows any number of cells per row, and spaces around them. */
const OPTIONS = { record_delimiter: "\n", relax_column_count: true, trim: true } satisfies Options;

function findDelimiter(line: string): string {
  // the last cell may continue on the next line
  const cellsOf = (delimiter: string) =>
    parseAlone(line, delimiter) ?? parseAlone(`${line}"`, delimiter);
  const count = (delimiter: string) => cellsOf(delimiter)?.length ?? 0;
  return DELIMITERS.toSorted((one, other) => count(other) - count(one))[0] ?? ",";
}

const textOf = (lines: Line[]) => lines.map(({ text }) => text).join("\n");
