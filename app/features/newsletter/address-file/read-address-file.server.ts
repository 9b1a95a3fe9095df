import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { readEmail } from "~/features/accounts/credentials";
import { OperatorError } from "~db/operator-error";
import { type CsvRecord, MAX_RECORD_LENGTH, readRecords } from "./csv-records";
import { decode, detectEncoding, type Encoding } from "./encoding.server";
import { printableText } from "./printable-text";
import { unescapeCell } from "./spreadsheet-cell";

/** A canonical address and its line in the file. */
export type ListedAddress = { line: number; email: string };

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
  batches: AsyncIterable<AddressBatch>;
};

/** Maximum column names listed in a message. */
const LISTED_NAMES = 20;

/**
 * Opens a list of addresses: CSV with an address column, as exported by any program, or one address per line. Detects
 * encoding, delimiter and column. `batches` can be read once, with constant memory. Throws an OperatorError if the
 * file is unreadable, has no such column or, with `refuseStatus`, has a column that looks like a status.
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
  const bytes = createReadStream(file);
  let column: number | null = null;
  for await (let records of readRecords(decode(bytes, encoding))) {
    if (column === null) {
      const start = readStart(file, records[0], refuseStatus);
      column = start.column;
      if (start.hasHeader) records = records.slice(1);
    }
    const outcomes = records.map((record) => readAddress(record, column ?? 0));
    yield {
      addresses: outcomes.filter((outcome) => "email" in outcome),
      refused: outcomes.filter((outcome) => "reason" in outcome),
      bytesRead: bytes.bytesRead,
    };
  }
  if (column === null) throw new OperatorError(`${file} is empty.`);
}

/** Finds the address column, and whether the first record is a header. */
function readStart(
  file: string,
  first: CsvRecord | undefined,
  refuseStatus: boolean,
): { column: number; hasHeader: boolean } {
  if (!first || first.text.length > MAX_RECORD_LENGTH) {
    throw new OperatorError(
      `${file} is not a list of addresses: its first line is longer than ${MAX_RECORD_LENGTH} characters.`,
    );
  }
  const names = "cells" in first ? first.cells : [first.text];
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

/** Returns the single-word cells of a first record without header, such as 'unsubscribed'. */
const wordsAlone = (cells: string[]) =>
  cells.filter((cell) => !isAddress(cell) && /^\S+$/.test(cell.trim()));

function readAddress(record: CsvRecord, column: number): ListedAddress | RefusedRecord {
  const { line, text } = record;
  if ("problem" in record) return { line, value: text, reason: record.problem };
  const value = record.cells[column] ?? "";
  if (value.trim() === "") return { line, value: text, reason: "no e-mail address" };
  const email = readEmail(unescapeCell(value));
  return email === null ? { line, value, reason: "not an e-mail address" } : { line, email };
}

function isAddress(cell: string): boolean {
  return readEmail(unescapeCell(cell.trim())) !== null;
}

function listNames(names: string[]): string {
  const shown = names.slice(0, LISTED_NAMES).map((name) => `'${printableText(name).slice(0, 40)}'`);
  const others = names.length - shown.length;
  return shown.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

/** Names for addresses that left, were never confirmed or are unreachable; also dated: UNSUB_TIME, bounced_at. */
const GONE =
  /\bun(sub|confirmed|verified|deliver)|bounce|complain|\bspam|suppress|\bclean(ed)?\b|black ?list|block ?list|\bblocked|\b(disabled|deleted|removed|inactive|cancell?ed)\b|\bopt(ed)? ?out|\bdo ?not\b|\babgemeldet|\bdesabonn/;

/** Column names for a property of each address, such as whether it is subscribed. */
const STATUS =
  /\b(status|statut|estado|stato|state|subscribed|opt(ed)? ?in|confirmed|verified|active|enabled|consent|permission|marketing|contactable|angemeldet|bestatigt)\b|^(subscriber |member )?type$|^(email |newsletter )?subscription$|^newsletter$/;

/** Words for a detail (when, where from, how often), not a status: OPTIN_TIME, confirmed_at, consent_source. */
const DETAIL = /\b(at|on|date|time|ip|source|last|id)\b/;

/**
 * Returns the column names in a first row that may mark addresses without consent or that have left. Covers exports
 * of newsletter services and shops: 'Status', 'subscribed_to_emails', 'UNSUB_TIME'.
 */
export function statusColumns(names: readonly string[]): string[] {
  return names.filter((name) => {
    const words = wordsOf(name);
    return GONE.test(words) || (STATUS.test(words) && !DETAIL.test(words));
  });
}

/** Normalizes a name's words: 'OptIn', 'opt-in' and 'OPT_IN' become 'opt in', 'Désabonné' becomes 'desabonne'. */
function wordsOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
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
