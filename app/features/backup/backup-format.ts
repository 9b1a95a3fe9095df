import { z } from "zod";

/** The version of the archive's layout. A program reads this version and older ones. */
export const FORMAT_VERSION = 1;

/** The first entry, which describes the archive. */
export const MANIFEST = "manifest.json";

/** The entry with the database's sequences. */
export const SEQUENCES = "sequences.json";

/** The last entry: the digests of all others, so a truncated archive is detected. */
export const END = "end.json";

/** The folders of table parts and of files. */
const TABLES = "tables/";
const FILES = "files/";

/** Maximum bytes of an entry that is read into memory. */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/** Target bytes of a table part; a single larger row makes a larger part. Hashing one blocks for 1 ms. */
export const PART_BYTES = 1024 * 1024;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const named = { schema: z.string().min(1), name: z.string().min(1) };

export const manifestSchema = z.object({
  format: z.literal("golden-path-backup"),
  version: z.number().int().positive(),
  /** The program's release. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  /** The source server's version, such as 18.4. */
  postgresql: z.string(),
  /** The digests of the applied migrations, in order. */
  migrations: z.array(digest).min(1),
  tables: z.array(z.object({ ...named, columns: z.array(z.string().min(1)) })),
  /** Location of the cookie signing secret: among the files, or in `SESSION_SECRET` of the site's environment. */
  sessionSecret: z.enum(["file", "environment"]),
});

/** Describes a backup and the schema its rows need. */
export type Manifest = z.infer<typeof manifestSchema>;

export const sequencesSchema = z.array(
  z.object({ ...named, lastValue: z.string().regex(/^-?\d+$/), isCalled: z.boolean() }),
);

export const endSchema = z.object({
  /** Every entry before this one, in order. */
  entries: z.array(z.object({ name: z.string(), bytes: z.number().int().min(0), sha256: digest })),
  /** The number of rows of each table, as `schema.name`. */
  rows: z.record(z.string(), z.number().int().min(0)),
});

/** The digests of all entries and the row counts. */
export type End = z.infer<typeof endSchema>;

/** Returns the entry name of a table part, counted from 1. */
export function partName(table: string, part: number): string {
  return `${TABLES}${table}/${String(part).padStart(6, "0")}.copy`;
}

/** Returns the entry name of a file. */
export function fileEntryName(path: string): string {
  return `${FILES}${path}`;
}

/** Returns an entry's kind by its name; null for a name that no backup contains. */
export function entryKind(
  name: string,
):
  | { kind: "manifest" | "sequences" | "end" }
  | { kind: "part"; table: string; part: number }
  | { kind: "file"; path: string }
  | null {
  if (name === MANIFEST) return { kind: "manifest" };
  if (name === SEQUENCES) return { kind: "sequences" };
  if (name === END) return { kind: "end" };
  const [, table, part] = /^tables\/([^/]+)\/(\d{6,})\.copy$/.exec(name) ?? [];
  if (table && part) return { kind: "part", table, part: Number(part) };
  const path = name.startsWith(FILES) ? name.slice(FILES.length) : "";
  return isSafePath(path) ? { kind: "file", path } : null;
}

/** Whether a path stays within its folder on every operating system. */
function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (path === "" || /[\u0000-\u001f\\]|^[a-z]:/i.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

const LINE_END = "\n".charCodeAt(0);

/** Counts the rows that end in a chunk of COPY text. A row is one line, because line breaks in values are escaped. */
export function countRows(content: Uint8Array): number {
  let rows = 0;
  for (let at = content.indexOf(LINE_END); at !== -1; at = content.indexOf(LINE_END, at + 1))
    rows++;
  return rows;
}
