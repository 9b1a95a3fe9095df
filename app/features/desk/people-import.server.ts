import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ByteSource } from "~/features/newsletter/address-file/encoding.server";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import {
  type ListBeginning,
  openAddressFile,
  type RefusedRecord,
  readListBeginning,
} from "~/features/newsletter/address-file/read-address-file.server";
import { refusalsCsv } from "~/features/newsletter/address-file/refusal-report.server";
import { consentSourceSchema } from "~/features/newsletter/consent-source";
import {
  describeImport,
  importList,
  type ListResult,
} from "~/features/newsletter/import-subscribers.server";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import {
  findUploadedList,
  isListInUse,
  replaceUploadedList,
  storeDeskFile,
} from "~db/queries/desk";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";
import { describeSource } from "./people-changes.server";

/** The largest list that may be uploaded, in bytes; the command takes any. */
export const LIST_LIMIT = 20 * 1024 * 1024;

/** How long an uploaded list is kept, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const MAX_NAME_LENGTH = 100;

/** Rows and columns of a list that its page shows. */
const SHOWN_ROWS = 5;
const SHOWN_COLUMNS = 12;

/** Read at once, between which other requests are served; in bytes. */
const CHUNK = 32 * 1024;

/** Ends the name of a list that was imported: its content is the result, and the refused rows. No file's name has a slash. */
const IMPORTED = "/imported";

/** What a dry run found, or an import did: its numbers in words, and the refused rows by reason. */
type Summary = { result: ListResult; reasons: [reason: string, count: number][] };

/** Keeps an uploaded list for a day, until it is imported. */
export async function keepList(
  { userId }: Author,
  upload: { name: string; bytes: Uint8Array },
): Promise<{ kind: "kept"; id: string } | { kind: "refused"; message: string }> {
  const name = printableText(upload.name.split(/[/\\]/).at(-1) ?? "").slice(-MAX_NAME_LENGTH);
  const content = Buffer.from(upload.bytes);
  if (content.length === 0) return { kind: "refused", message: "Choose a file that is not empty." };
  const problem = await problemOf(() => readListBeginning(sourceOf({ name, content }), 0));
  if (problem) return { kind: "refused", message: problem };
  const expiresAt = new Date(Date.now() + KEPT_MS);
  return {
    kind: "kept",
    id: await storeDeskFile({
      name,
      content: await packed(content),
      uploadedBy: userId,
      expiresAt,
    }),
  };
}

/** The state of an uploaded list. */
export type ListView = { name: string } & (
  | { kind: "running" }
  | { kind: "unusable"; problem: string }
  | ({ kind: "waiting" | "imported"; toAdd: number } & Described & Partial<ListBeginning>)
);

type Described = {
  counts: [number, string][];
  reasons: [string, number][];
  isGuessed: boolean;
};

/** What the page of an author's list shows: what an import would do, or did; null if there is no such list (any more). */
export async function showList({ userId }: Author, id: string): Promise<ListView | null> {
  const list = await unpacked(await findUploadedList(id, userId));
  if (!list) return null;
  const { name } = list;
  if (isImported(list)) {
    return {
      kind: "imported",
      name: name.slice(0, -IMPORTED.length),
      ...describe(readResult(list).summary),
    };
  }
  if (await isListInUse(id)) return { kind: "running", name };
  let view: ListView | null = null;
  const problem = await problemOf(async () => {
    const { columns, rows } = await readListBeginning(sourceOf(list), SHOWN_ROWS);
    view = {
      kind: "waiting",
      name,
      ...describe(await run(list, { source: "", isDryRun: true })),
      columns: columns.slice(0, SHOWN_COLUMNS),
      rows: rows.map((row) => row.slice(0, SHOWN_COLUMNS)),
    };
  });
  return problem ? { kind: "unusable", name, problem } : view;
}

function describe({ result, reasons }: Summary): Described & { toAdd: number } {
  return {
    counts: describeImport(result),
    reasons,
    isGuessed: result.encoding === "windows-1252",
    toAdd: result.added + result.confirmed,
  };
}

/**
 * Imports an author's list once: its result takes the list's place, also for a form that is sent again. Interrupted, the list
 * stays, and can be imported again. "running" while another request imports it.
 */
export async function importKeptList(
  author: Author,
  id: string,
  typedSource: string,
): Promise<{ kind: "imported" | "running" } | { kind: "refused"; message: string }> {
  const source = consentSourceSchema.safeParse(typedSource);
  if (!source.success) return { kind: "refused", message: describeSource(source.error.issues) };
  let isFree = false;
  const problem = await problemOf(async () => {
    isFree = await replaceUploadedList(id, author.userId, async (kept, executor) => {
      if (isImported(kept)) return kept;
      const list = await unpacked(kept);
      const refused = csvCollector();
      const summary = await run(list, {
        source: source.data,
        isDryRun: false,
        onRefused: refused.add,
      });
      const counts = describeImport(summary.result).map(([count, what]) => `${count} ${what}`);
      await recordChange(author, `Imported a list: ${counts.join("; ")}`, { executor });
      const content = Buffer.from(`${JSON.stringify(summary)}\n${refused.csv()}`);
      return { name: list.name + IMPORTED, content: await packed(content) };
    });
  });
  if (problem) return { kind: "refused", message: problem };
  return { kind: isFree ? "imported" : "running" };
}

/** Returns what writes the refused rows of an author's list as CSV; null if there is no such list (any more). */
export async function openRefusedRows({ userId }: Author, id: string) {
  const list = await unpacked(await findUploadedList(id, userId));
  if (!list) return null;
  return async (write: (csv: string) => Promise<void>): Promise<void> => {
    if (isImported(list)) return write(readResult(list).csv);
    let isFirst = true;
    const onRefused = async (refused: RefusedRecord[]) => {
      await write(refusalsCsv(refused, { isFirst }));
      isFirst = false;
    };
    await run(list, { source: "", isDryRun: true, onRefused });
  };
}

type Content = { name: string; content: Buffer };

// the database's driver would block for a second while it writes 20 MB
const packed = promisify(gzip);

async function unpacked<List extends Content | null>(list: List): Promise<List> {
  return list && { ...list, content: await promisify(gunzip)(list.content) };
}

const isImported = ({ name }: Content) => name.endsWith(IMPORTED);

function readResult({ content }: Content): { summary: Summary; csv: string } {
  const text = content.toString();
  const end = text.indexOf("\n");
  return { summary: JSON.parse(text.slice(0, end)), csv: text.slice(end + 1) };
}

/** Imports a list, or finds what an import would do. */
async function run(
  list: Content,
  {
    onRefused,
    ...options
  }: {
    source: string;
    isDryRun: boolean;
    onRefused?: (refused: RefusedRecord[]) => Promise<void>;
  },
): Promise<Summary> {
  const reasons = new Map<string, number>();
  const file = await openAddressFile(sourceOf(list), { readsStatus: true });
  const result = await importList(file, {
    ...options,
    onRefused: async (refused) => {
      for (const { reason } of refused) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      await onRefused?.(refused);
    },
  });
  return { result, reasons: [...reasons] };
}

function csvCollector() {
  const parts: string[] = [];
  return {
    add: async (refused: RefusedRecord[]) => {
      parts.push(refusalsCsv(refused, { isFirst: parts.length === 0 }));
    },
    csv: () => parts.join(""),
  };
}

function sourceOf({ name, content }: Content): ByteSource {
  return {
    name,
    size: content.length,
    read: async function* () {
      for (let at = 0; at < content.length; at += CHUNK) {
        yield content.subarray(at, at + CHUNK);
        await setImmediate();
      }
    },
  };
}

/** Does work with a list; returns what is wrong with the list, or that the work failed, in a sentence; null if nothing. */
async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    log().error({ err: error }, "an uploaded list could not be read or imported");
    return "That did not work; the program’s log says why. Please try again.";
  }
}
