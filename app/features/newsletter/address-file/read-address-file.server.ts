import { stat } from "node:fs/promises";
import { readEmail } from "~/features/accounts/credentials";
import { OperatorError } from "~db/operator-error";
import { findAddressColumn } from "./address-column";
import { detectEncoding, type Encoding, readText } from "./encoding.server";
import { type ParsedRecord, parseRecords } from "./parse-records";
import { printableText } from "./printable-text";
import { type CsvRecord, MAX_RECORD_LENGTH, RecordSplitter } from "./record-splitter";
import { unescapeCell } from "./spreadsheet-cell";
import { statusColumns } from "./status-column";

/** An address in canonical form, and the line of the file it was found on. */
export type ListedAddress = { line: number; email: string };

/** A record without a usable address: what stood in its place, and why it was refused. */
export type RefusedRecord = { line: number; value: string; reason: string };

export type AddressBatch = {
  addresses: ListedAddress[];
  refused: RefusedRecord[];
  bytesRead: number;
};

export type AddressFile = {
  encoding: Encoding;
  /** In bytes. */
  size: number;
  batches: AsyncIterable<AddressBatch>;
};

/** Records that are handled together, and the characters from which on fewer are. */
const BATCH_RECORDS = 1_000;
const BATCH_LENGTH = 256 * 1024;

/** Column names that a message lists. */
const LISTED_NAMES = 20;

/**
 * Opens a list of addresses: CSV with a column of them, as any program exports it, or one address per line. Its
 * encoding, delimiter and column are detected; `batches` may be read once, in constant memory. An OperatorError
 * says why a file cannot be read, or lacks such a column, or, with `refuseStatus`, has one that looks like a status.
 */
export async function openAddressFile(
  file: string,
  { refuseStatus = false } = {},
): Promise<AddressFile> {
  try {
    const status = await stat(file);
    if (!status.isFile()) throw new OperatorError(`${file} is not a file.`);
    const encoding = await detectEncoding(file);
    return { encoding, size: status.size, batches: readBatches(file, encoding, refuseStatus) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new OperatorError(`There is no file ${file}.`);
    if (code === "EACCES") throw new OperatorError(`${file} may not be read by this user.`);
    throw error;
  }
}

async function* readBatches(
  file: string,
  encoding: Encoding,
  refuseStatus: boolean,
): AsyncGenerator<AddressBatch> {
  let reader: AddressReader | null = null;
  for await (const { records, delimiter, bytesRead } of readRecords(file, encoding)) {
    if (reader) {
      yield { ...reader.read(records), bytesRead };
      continue;
    }
    const { column, hasHeader } = readStart(file, records, delimiter, refuseStatus);
    reader = new AddressReader(delimiter, column);
    yield { ...reader.read(hasHeader ? records.slice(1) : records), bytesRead };
  }
  if (!reader) throw new OperatorError(`${file} is empty.`);
}

async function* readRecords(
  file: string,
  encoding: Encoding,
): AsyncGenerator<{ records: CsvRecord[]; delimiter: string; bytesRead: number }> {
  const splitter = new RecordSplitter();
  let records: CsvRecord[] = [];
  let length = 0;
  let bytesRead = 0;
  for await (const chunk of readText(file, encoding)) {
    bytesRead = chunk.bytesRead;
    for (const record of splitter.push(chunk.text)) {
      records.push(record);
      length += record.text.length;
      if (records.length < BATCH_RECORDS && length < BATCH_LENGTH) continue;
      yield { records, delimiter: splitter.delimiter, bytesRead };
      records = [];
      length = 0;
    }
  }
  records.push(...splitter.end());
  if (records.length > 0) yield { records, delimiter: splitter.delimiter, bytesRead };
}

/** Which column holds the addresses, and whether the first record only names it. */
function readStart(
  file: string,
  [first]: CsvRecord[],
  delimiter: string,
  refuseStatus: boolean,
): { column: number; hasHeader: boolean } {
  if (!first || first.kind === "too-long") {
    throw new OperatorError(
      `${file} is not a list of addresses: its first line is longer than ${MAX_RECORD_LENGTH} characters.`,
    );
  }
  const [row] = parseRecords([first], delimiter);
  const names = row?.cells ?? [first.text];
  const found = findAddressColumn(names, isAddress);
  switch (found.kind) {
    case "found":
      if (refuseStatus) rejectStatus(file, found.hasHeader ? names : wordsAlone(names));
      return found;
    case "missing":
      throw new OperatorError(
        `${file} has no column of e-mail addresses: name it 'email'. Found ${listNames(found.names)}.`,
      );
    case "ambiguous":
      throw new OperatorError(
        `${file} has several columns of e-mail addresses: leave one, or name one 'email'. Found ${listNames(found.names)}.`,
      );
  }
}

function rejectStatus(file: string, names: string[]): void {
  const found = statusColumns(names);
  if (found.length === 0) return;
  throw new OperatorError(
    `${file} has a column that looks like a status: ${listNames(found)}. Keep the lines of those who are subscribed, delete the column, and import the file again.`,
  );
}

/** The cells of a first record, without names of columns, that are a single word, such as 'unsubscribed'. */
const wordsAlone = (cells: string[]) =>
  cells.filter((cell) => !isAddress(cell) && /^\S+$/.test(cell.trim()));

class AddressReader {
  readonly #delimiter: string;
  readonly #column: number;

  constructor(delimiter: string, column: number) {
    this.#delimiter = delimiter;
    this.#column = column;
  }

  read(records: CsvRecord[]): Pick<AddressBatch, "addresses" | "refused"> {
    const addresses: ListedAddress[] = [];
    const refused: RefusedRecord[] = [];
    const parsed = parseRecords(
      records.filter(({ kind }) => kind !== "too-long"),
      this.#delimiter,
    );
    for (const record of parsed) {
      const outcome = this.#readAddress(record);
      if ("email" in outcome) addresses.push(outcome);
      else refused.push(outcome);
    }
    for (const { line, text, kind } of records) {
      if (kind !== "too-long") continue;
      refused.push({ line, value: text, reason: `longer than ${MAX_RECORD_LENGTH} characters` });
    }
    return { addresses, refused };
  }

  #readAddress({ line, text, cells }: ParsedRecord): ListedAddress | RefusedRecord {
    if (!cells) return { line, value: text, reason: "a quotation mark is not closed" };
    const value = cells[this.#column] ?? "";
    if (value.trim() === "") return { line, value: text, reason: "no e-mail address" };
    const email = readEmail(unescapeCell(value));
    return email === null ? { line, value, reason: "not an e-mail address" } : { line, email };
  }
}

function isAddress(cell: string): boolean {
  return readEmail(unescapeCell(cell.trim())) !== null;
}

function listNames(names: string[]): string {
  const shown = names.slice(0, LISTED_NAMES).map((name) => `'${printableText(name).slice(0, 40)}'`);
  const others = names.length - shown.length;
  return shown.join(", ") + (others > 0 ? ` and ${others} more` : "");
}
