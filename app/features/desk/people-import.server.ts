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
import { describeImport, importList } from "~/features/newsletter/import-subscribers.server";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import { findUploadedList, replaceUploadedList, storeDeskFile } from "~db/queries/desk";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";
import { requireSource } from "./people-changes.server";

/** The largest list that may be uploaded, in bytes; the command takes any. */
export const LIST_LIMIT = 20 * 1024 * 1024;

/** How long an uploaded list and its result are kept, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Bytes that are read at once, between which other requests are served. */
const CHUNK = 32 * 1024;

/** Ends the name of a list that was imported: the content is its outcome then. No file's name has a slash. */
const IMPORTED = "/imported";

/** What an import of a list would do, or did. */
type Outcome = {
  /** Numbers of addresses with what happens to them, and of rows that are left out with the reasons. */
  counts: [number, string][];
  reasons: [number, string][];
  /** How many addresses get the newsletter by it. */
  toAdd: number;
  /** The rows that are left out. */
  csv: string;
};

type List = { name: string; content: Buffer };

// the database's driver would block for a second while it writes 20 MB
const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** Keeps an uploaded list for a day, and returns its id. */
export async function keepList({ userId }: Author, file: { name: string; bytes: Uint8Array }) {
  const name = printableText(file.name).split(/[/\\]/).at(-1)?.slice(-100) || "list";
  const expiresAt = new Date(Date.now() + KEPT_MS);
  const content = await packed(file.bytes);
  return storeDeskFile({ name, content, uploadedBy: userId, expiresAt });
}

/**
 * What the page of an author's list shows: its columns and first rows and what an import would do, or what it did, or why it
 * cannot be imported. Null if there is no such list (any more).
 */
export async function showList(author: Author, id: string) {
  const list = await findUploadedList(id, author.userId);
  if (!list) return null;
  const name = list.name.replace(IMPORTED, "");
  if (list.name !== name) {
    const { csv: _, ...outcome } = await outcomeOf(list);
    return { name, isImported: true, problem: null, columns: [], rows: [], ...outcome };
  }
  try {
    const beginning = await readListBeginning(await sourceOf(list));
    const { csv: _, ...outcome } = await outcomeOf(list);
    return { name, isImported: false, problem: null, ...beginning, ...outcome };
  } catch (error) {
    const nothing = { columns: [], rows: [], counts: [], reasons: [], toAdd: 0 };
    return { name, isImported: false, problem: describeFailure(error), ...nothing };
  }
}

/** The rows of an author's list that are left out, as CSV; null if there is no such list (any more). */
export async function findRefusedRows({ userId }: Author, id: string): Promise<string | null> {
  const list = await findUploadedList(id, userId);
  return list && (await outcomeOf(list)).csv;
}

/**
 * Imports an author's list once: its outcome takes the list's place, also for a form that is sent again. Interrupted, the list
 * stays, and can be imported again. Throws an OperatorError that says why it was not imported.
 */
export async function importKeptList(author: Author, id: string, typedSource = "") {
  const source = requireSource(typedSource);
  const isFree = await replaceUploadedList(id, author.userId, async (list, executor) => {
    if (list.name.endsWith(IMPORTED)) return list;
    const outcome = await importFrom(list, { source, isDryRun: false });
    const counts = outcome.counts.map(([count, what]) => `${count} ${what}`).join("; ");
    await recordChange(author, `Imported a list: ${counts}`, { executor });
    return { name: list.name + IMPORTED, content: await packed(JSON.stringify(outcome)) };
  }).catch((error: unknown) => {
    throw new OperatorError(describeFailure(error));
  });
  if (!isFree) throw new OperatorError("It is being imported. Reload the page to see the result.");
}

/** What an import of a list did, or would do. */
async function outcomeOf(list: List): Promise<Outcome> {
  if (!list.name.endsWith(IMPORTED)) return importFrom(list, { source: "", isDryRun: true });
  return JSON.parse((await unpacked(list.content)).toString());
}

async function importFrom(
  list: List,
  options: { source: string; isDryRun: boolean },
): Promise<Outcome> {
  const reasons = new Map<string, number>();
  const csv: string[] = [];
  const onRefused = async (refused: RefusedRecord[]) => {
    for (const { reason } of refused) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    csv.push(refusalsCsv(refused, { isFirst: csv.length === 0 }));
  };
  const file = await openAddressFile(await sourceOf(list), { readsStatus: true });
  const result = await importList(file, { ...options, onRefused });
  return {
    counts: describeImport(result),
    reasons: [...reasons].map(([reason, count]) => [count, reason]),
    toAdd: result.added + result.confirmed,
    csv: csv.join(""),
  };
}

async function sourceOf({ name, content }: List): Promise<ByteSource> {
  const bytes = await unpacked(content);
  return {
    name,
    size: bytes.length,
    read: async function* () {
      for (let at = 0; at < bytes.length; at += CHUNK) {
        yield bytes.subarray(at, at + CHUNK);
        await setImmediate();
      }
    },
  };
}

function describeFailure(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  log().error({ err: error }, "an uploaded list could not be read or imported");
  return "That did not work; the program’s log says why. Please try again.";
}
