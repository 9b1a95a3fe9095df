import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ByteSource } from "~/features/newsletter/address-file/encoding.server";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import {
  openAddressFile,
  type RefusedRecord,
  readListBeginning,
} from "~/features/newsletter/address-file/read-address-file.server";
import { refusalsCsv } from "~/features/newsletter/address-file/refusal-report.server";
import { consentSourceSchema } from "~/features/newsletter/consent-source";
import { describeImport, importList } from "~/features/newsletter/import-subscribers.server";
import { OperatorError } from "~db/operator-error";
import { findUploadedList, storeDeskFile } from "~db/queries/desk";
import { isUuid } from "~db/uuid";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";

/** How long an uploaded list is kept, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Bytes that are read at once, between which other requests are served. */
const CHUNK = 32 * 1024;

/** What an import of a list would do, or did. */
type Outcome = {
  /** Numbers of addresses with what happens to them, and of rows that are left out with the reasons. */
  counts: [count: number, what: string][];
  reasons: [why: string, count: number][];
  /** How many addresses get the newsletter by it. */
  toAdd: number;
  /** The rows that are left out. */
  csv: string;
};

const DRY_RUN = { source: "", isDryRun: true };

// the database's driver would block for a second while it writes 20 MB
const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** Keeps an uploaded list for a day, and returns its id. Throws an OperatorError that says why it cannot be imported. */
export async function keepList({ userId }: Author, file: { name: string; bytes: Uint8Array }) {
  const name = printableText(file.name).split(/[/\\]/).at(-1)?.slice(-100) || "list";
  await importFrom(sourceOf(name, Buffer.from(file.bytes)), DRY_RUN);
  const expiresAt = new Date(Date.now() + KEPT_MS);
  const content = await packed(file.bytes);
  return storeDeskFile({ name, content, uploadedBy: userId, expiresAt });
}

/**
 * What the page of an author's list shows: its columns and first rows, and what an import would do. Null if there is no such list
 * (any more).
 */
export async function showList(author: Author, id: string) {
  const list = await findList(author, id);
  if (!list) return null;
  const { csv: _, ...outcome } = await importFrom(list, DRY_RUN);
  return { name: list.name, ...(await readListBeginning(list)), ...outcome };
}

/** The rows of an author's list that are left out, as CSV; null if there is no such list (any more). */
export async function findRefusedRows(author: Author, id: string): Promise<string | null> {
  const list = await findList(author, id);
  return list && (await importFrom(list, DRY_RUN)).csv;
}

/**
 * Imports an author's list, and returns what was done. Interrupted or sent again, it adds what is missing. Throws an OperatorError
 * that says why it was not imported.
 */
export async function importKeptList(author: Author, id: string, typed = ""): Promise<string> {
  const { data: source, error } = consentSourceSchema.safeParse(typed);
  if (!source) {
    const why = error?.issues[0]?.message;
    throw new OperatorError(`Say in one line where the consent comes from: ${why}.`);
  }
  const list = await findList(author, id);
  if (!list) throw new OperatorError("This list is not kept any more. Upload it again.");
  const { counts } = await importFrom(list, { source, isDryRun: false });
  const done = counts.map(([count, what]) => `${count} ${what}`).join("; ");
  await recordChange(author, `Imported a list: ${done}`);
  return done;
}

async function findList({ userId }: Author, id: string): Promise<ByteSource | null> {
  const list = isUuid(id) ? await findUploadedList(id, userId) : null;
  return list && sourceOf(list.name, await unpacked(list.content));
}

async function importFrom(
  list: ByteSource,
  options: { source: string; isDryRun: boolean },
): Promise<Outcome> {
  const reasons = new Map<string, number>();
  const csv: string[] = [];
  const onRefused = async (refused: RefusedRecord[]) => {
    for (const { reason } of refused) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    csv.push(refusalsCsv(refused, { isFirst: csv.length === 0 }));
  };
  const file = await openAddressFile(list, { readsStatus: true });
  const result = await importList(file, { ...options, onRefused });
  return {
    counts: describeImport(result),
    reasons: [...reasons],
    toAdd: result.added + result.confirmed,
    csv: csv.join(""),
  };
}

function sourceOf(name: string, bytes: Buffer): ByteSource {
  const read = async function* () {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      yield bytes.subarray(at, at + CHUNK);
      await setImmediate();
    }
  };
  return { name, size: bytes.length, read };
}
