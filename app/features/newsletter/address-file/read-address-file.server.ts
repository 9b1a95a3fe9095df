import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { readEmail } from "~/environment/email-address.server";
import { OperatorError } from "~db/operator-error";
import { type CsvRecord, MAX_RECORD_LENGTH, readRecords } from "./csv-records";
import { type ByteSource, decode, detectEncoding, type Encoding } from "./encoding.server";
import { printableText } from "./printable-text";
import { unescapeCell } from "./spreadsheet-cell";
import { type Standing, StatusReader, statusColumns } from "./status-columns.server";

/** A canonical address, its line in the file, and what the file says about it. */
export type ListedAddress = {
  line: number;
  email: string;
  standing: Standing;
  /** When its owner consented; null if the file does not say it. */
  consentAt: Date | null;
};

/** A record without a valid address: its value, and the reason for refusing it. */
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
  /** Each iteration reads the file from its beginning. */
  batches: AsyncIterable<AddressBatch>;
};

/** Maximum column names listed in a message. */
const LISTED_NAMES = 20;

/** Rows and columns of a list's beginning. */
const SHOWN_ROWS = 5;
const SHOWN_COLUMNS = 12;

/**
 * Opens a list of addresses: CSV with an address column, as exported by any program, or one address per line. It is a
 * file's path or what was read of one; '-' is standard input, which is kept in memory. Detects encoding, delimiter and column. A file is read with constant memory.
 * With `readsStatus`, also reads what the columns say about each address. Throws an OperatorError if the file is
 * unreadable, has no address column, or with `readsStatus` has a status that is not understood.
 */
export async function openAddressFile(
  file: string | ByteSource,
  { readsStatus = false } = {},
): Promise<AddressFile> {
  const source = await sourceOf(file);
  const encoding = await detectEncoding(source);
  return {
    encoding,
    size: source.size,
    batches: { [Symbol.asyncIterator]: () => readBatches(source, encoding, readsStatus) },
  };
}

async function sourceOf(file: string | ByteSource): Promise<ByteSource> {
  if (typeof file !== "string") return file;
  return file === "-" ? readStandardInput() : openFile(file);
}

async function openFile(file: string): Promise<ByteSource> {
  try {
    const status = await stat(file);
    if (!status.isFile()) throw new OperatorError(`${file} is not a file.`);
    await access(file, constants.R_OK);
    return { name: file, size: status.size, read: () => createReadStream(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new OperatorError(`There is no file ${file}.`);
    if (code === "EACCES") throw new OperatorError(`${file} may not be read by this user.`);
    throw error;
  }
}

async function readStandardInput(): Promise<ByteSource> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  return { name: "Standard input", size, read: () => Readable.from(chunks) };
}

async function* readBatches(
  source: ByteSource,
  encoding: Encoding,
  readsStatus: boolean,
): AsyncGenerator<AddressBatch> {
  let bytesRead = 0;
  const counted = async function* () {
    for await (const chunk of source.read()) {
      bytesRead += chunk.length;
      yield chunk;
    }
  };
  const now = new Date();
  let start: ListStart | null = null;
  for await (let records of readRecords(decode(counted(), encoding))) {
    if (start === null) {
      start = readStart(source.name, records[0], readsStatus);
      if (start.hasHeader) records = records.slice(1);
    }
    const { column, status } = start;
    const outcomes = records.map((record) => {
      const outcome = readAddress(record, column);
      if ("reason" in outcome) return outcome;
      const cells = status && "cells" in record ? record.cells : [];
      return {
        ...outcome,
        standing: status?.standingOf(cells, `${source.name}:${record.line}`) ?? "kept",
        consentAt: status?.consentOf(cells, now) ?? null,
      };
    });
    yield {
      addresses: outcomes.filter((outcome) => "email" in outcome),
      refused: outcomes.filter((outcome) => "reason" in outcome),
      bytesRead,
    };
  }
  if (start === null) throw new OperatorError(`${source.name} is empty.`);
}

/**
 * Reads a list's first rows, and the names of its columns with what each is read for; some of both, if there are many. Throws
 * the OperatorErrors of `openAddressFile` and its batches.
 */
export async function readListBeginning(source: ByteSource) {
  const encoding = await detectEncoding(source);
  for await (const records of readRecords(decode(source.read(), encoding))) {
    const { column, hasHeader, status } = readStart(source.name, records[0], true);
    const rows = records.slice(0, SHOWN_ROWS + 1).map((record) => {
      const cells = "cells" in record ? record.cells : [record.text];
      return cells.slice(0, SHOWN_COLUMNS).map((cell) => printableText(cell).slice(0, 100));
    });
    const columns = (rows[0] ?? []).map((name, index) => {
      const use = index === column ? "address" : status?.meaningOf(index);
      return [`${index + 1}.`, hasHeader && name, use && `(${use})`].filter(Boolean).join(" ");
    });
    return { columns, rows: hasHeader ? rows.slice(1) : rows.slice(0, SHOWN_ROWS) };
  }
  throw new OperatorError(`${source.name} is empty.`);
}

type ListStart = { column: number; hasHeader: boolean; status: StatusReader | null };

/** Finds the address column and those of a status, and whether the first record is a header. */
function readStart(file: string, first: CsvRecord | undefined, readsStatus: boolean): ListStart {
  if (!first || first.text.length > MAX_RECORD_LENGTH) {
    throw new OperatorError(
      `${file} is not a list of addresses: its first line is longer than ${MAX_RECORD_LENGTH} characters.`,
    );
  }
  const names = "cells" in first ? first.cells : [first.text];
  const found = findAddressColumn(names, isAddress);
  switch (found.kind) {
    case "found":
      return { ...found, status: readsStatus ? readStatus(file, names, found.hasHeader) : null };
    case "missing":
      throw new OperatorError(
        `${file} has no column of email addresses: name it 'email'. Found ${listNames(found.names)}.`,
      );
    case "ambiguous":
      throw new OperatorError(
        `${file} has several columns of email addresses: leave one, or name one 'email'. Found ${listNames(found.names)}.`,
      );
  }
}

/** Finds the columns of a status; null without a header. */
function readStatus(file: string, names: string[], hasHeader: boolean): StatusReader | null {
  const status = hasHeader ? new StatusReader(names) : null;
  const unknown = status ? status.unknown : statusColumns(wordsAlone(names));
  if (unknown.length === 0) return status;
  throw new OperatorError(
    `${file} has a column that looks like a status, and isn't recognized: ${listNames(unknown)}. Keep the lines of those who are subscribed, delete the column, and import the file again.`,
  );
}

/** Returns the single-word cells of a first record without header, such as 'unsubscribed'. */
const wordsAlone = (cells: string[]) =>
  cells.filter((cell) => !isAddress(cell) && /^\S+$/.test(cell.trim()));

function readAddress(
  record: CsvRecord,
  column: number,
): Pick<ListedAddress, "line" | "email"> | RefusedRecord {
  const { line, text } = record;
  if ("problem" in record) return { line, value: text, reason: record.problem };
  const value = record.cells[column] ?? "";
  if (value.trim() === "") return { line, value: text, reason: "no email address" };
  const email = readEmail(unescapeCell(value));
  return email === null ? { line, value, reason: "not an email address" } : { line, email };
}

function isAddress(cell: string): boolean {
  return readEmail(unescapeCell(cell.trim())) !== null;
}

function listNames(names: string[]): string {
  const shown = names.slice(0, LISTED_NAMES).map((name) => `'${printableText(name).slice(0, 40)}'`);
  const others = names.length - shown.length;
  return shown.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

/** Names of an address column, reduced to letters, in order of preference. */
const NAMES = [
  "email",
  "emailaddress",
  "emailadresse",
  "mail",
  "mailaddress",
  "mailadresse",
  "courriel",
  "address",
  "adresse",
];

/** The index of the address column, or why it is unclear. */
type AddressColumn =
  | { kind: "found"; column: number; hasHeader: boolean }
  | { kind: "missing" | "ambiguous"; names: string[] };

/**
 * Finds the address column by its name in the first row, in any case and spelling ('E-Mail', 'EMAIL ADDRESS',
 * 'Customer email'). A first row with exactly one address is a record, not a header.
 */
export function findAddressColumn(
  firstRow: string[],
  isAddress: (cell: string) => boolean,
): AddressColumn {
  const addresses = firstRow.flatMap((cell, column) => (isAddress(cell) ? [column] : []));
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1) {
    return { kind: "found", column: only, hasHeader: false };
  }
  const ranks = firstRow.map(rankOf);
  const best = Math.min(...ranks);
  if (best === Number.POSITIVE_INFINITY) return { kind: "missing", names: firstRow };
  const columns = ranks.flatMap((rank, column) => (rank === best ? [column] : []));
  const [column] = columns;
  if (column === undefined || columns.length > 1) {
    return { kind: "ambiguous", names: columns.map((index) => firstRow[index] ?? "") };
  }
  return { kind: "found", column, hasHeader: true };
}

function rankOf(name: string): number {
  const letters = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}]/gu, "");
  const rank = NAMES.indexOf(letters);
  if (rank !== -1) return rank;
  return letters.includes("email") ? NAMES.length : Number.POSITIVE_INFINITY;
}
