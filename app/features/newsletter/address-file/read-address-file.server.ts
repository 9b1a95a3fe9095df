import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { readEmail } from "~/features/accounts/credentials";
import { OperatorError } from "~db/operator-error";
import { type CsvRecord, MAX_RECORD_LENGTH, readRecords } from "./csv-records";
import { decode, detectEncoding, type Encoding } from "./encoding.server";
import { printableText } from "./printable-text";
import { unescapeCell } from "./spreadsheet-cell";

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

/** Which column holds the addresses, and whether the first record only names it. */
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

/** The cells of a first record, without names of columns, that are a single word, such as 'unsubscribed'. */
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

/** Names by which somebody has left, was never confirmed, or cannot be reached; with a date as well: UNSUB_TIME, bounced_at. */
const GONE =
  /\bun(sub|confirmed|verified|deliver)|bounce|complain|\bspam|suppress|\bclean(ed)?\b|black ?list|block ?list|\bblocked|\b(disabled|deleted|removed|inactive|cancell?ed)\b|\bopt(ed)? ?out|\bdo ?not\b|\babgemeldet|\bdesabonn/;

/** Names of what is said of each address, such as whether it is subscribed. */
const STATUS =
  /\b(status|statut|estado|stato|state|subscribed|opt(ed)? ?in|confirmed|verified|active|enabled|consent|permission|marketing|contactable|angemeldet|bestatigt)\b|^(subscriber |member )?type$|^(email |newsletter )?subscription$|^newsletter$/;

/** Words of names that say when, whence or how often, and not whether: OPTIN_TIME, confirmed_at, consent_source. */
const DETAIL = /\b(at|on|date|time|ip|source|last|id)\b/;

/**
 * The names, in a file's first row, of columns that may say that somebody did not agree to get the newsletter, or has left,
 * as the exports of newsletter services and shops have them: 'Status', 'subscribed_to_emails', 'UNSUB_TIME'.
 */
export function statusColumns(names: readonly string[]): string[] {
  return names.filter((name) => {
    const words = wordsOf(name);
    return GONE.test(words) || (STATUS.test(words) && !DETAIL.test(words));
  });
}

/** 'OptIn', 'opt-in' and 'OPT_IN' are 'opt in', and 'Désabonné' is 'desabonne'. */
function wordsOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}

/** Names of a column of e-mail addresses, reduced to letters; where a file has several, the earliest counts. */
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

/** Which cell of each record holds the address, or why that cannot be told. */
type AddressColumn =
  | { kind: "found"; column: number; hasHeader: boolean }
  | { kind: "missing" | "ambiguous"; names: string[] };

/**
 * Finds the column of addresses by the name in the first row, in any case and spelling ('E-Mail', 'EMAIL
 * ADDRESS', 'Customer email'). A first row with exactly one address is no header but the first record.
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
