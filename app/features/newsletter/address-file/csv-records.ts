import { CsvError, type Options, parse } from "csv-parse/sync";

/** The longest record that is read, in characters, and the most lines that a quoted cell may run over. */
export const MAX_RECORD_LENGTH = 64 * 1024;
const MAX_RECORD_LINES = 50;

/** Records that are handled together, and the characters from which on fewer are. */
const BATCH_RECORDS = 1_000;
const BATCH_LENGTH = 256 * 1024;

const DELIMITERS = [",", ";", "\t", "|"];

/** One record of a CSV file: the number of the line it begins on, from 1, its text, and its cells or why it has none. */
export type CsvRecord = { line: number; text: string } & (
  | { cells: string[] }
  | { problem: string }
);

type Line = { number: number; text: string };

/**
 * The records of a CSV text, in batches and in constant memory; blank lines are skipped. Its delimiter is the one that makes
 * most cells of the first line, or what a spreadsheet's hint names ('sep=;' as the first line). A quotation mark that is
 * not closed costs its line and not the rest of the file.
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

/** What is kept of a line, so that it can be seen to be too long. */
const KEPT_LENGTH = MAX_RECORD_LENGTH + 1;

/** The lines of a text that are not blank. */
async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let rest = "";
  for await (const chunk of chunks) {
    // a carriage return at the end may be half of the line's end
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

/** The records of lines, without those at their end, unless the text ends there, whose quotation mark the next may close. */
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

/** The rows of lines up to the first that makes no sense, with the number of lines up to each one's end; and why. */
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

/** The cells of a line, in which a stray quotation mark counts as text; null if one is not closed. */
function parseAlone(line: string, delimiter: string): string[] | null {
  try {
    return parse(line, { ...OPTIONS, delimiter, relax_quotes: true })[0] ?? null;
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** Rows may have any number of cells, and spaces around them. */
const OPTIONS = { record_delimiter: "\n", relax_column_count: true, trim: true } satisfies Options;

function findDelimiter(line: string): string {
  // its last cell may go on in the next line
  const cellsOf = (delimiter: string) =>
    parseAlone(line, delimiter) ?? parseAlone(`${line}"`, delimiter);
  const count = (delimiter: string) => cellsOf(delimiter)?.length ?? 0;
  return DELIMITERS.toSorted((one, other) => count(other) - count(one))[0] ?? ",";
}

const textOf = (lines: Line[]) => lines.map(({ text }) => text).join("\n");
