import { z } from "zod";

/** The version of the archive's layout; a program reads this one and older ones. */
export const FORMAT_VERSION = 1;

/** The first entry: what the archive is. */
export const MANIFEST = "manifest.json";

/** The sequences of the database. */
export const SEQUENCES = "sequences.json";

/** The last entry: the digest of every other one, so that a shortened archive is never taken for a whole one. */
export const END = "end.json";

/** The folders of the parts of tables, and of files. */
const TABLES = "tables/";
const FILES = "files/";

/** Bytes of the entries that are read into memory. */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/** Bytes that a part of a table is made of, or the one row that is larger. Each is hashed in one go: 1 ms. */
export const PART_BYTES = 1024 * 1024;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const named = { schema: z.string().min(1), name: z.string().min(1) };

export const manifestSchema = z.object({
  format: z.literal("golden-path-backup"),
  version: z.number().int().positive(),
  /** The release of the program that wrote it. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  /** The server that the rows come from, as in 18.4. */
  postgresql: z.string(),
  /** The digests of the migrations that were applied, in order. */
  migrations: z.array(digest).min(1),
  tables: z.array(z.object({ ...named, columns: z.array(z.string().min(1)) })),
  /** Where the secret that signs cookies is: among the files, or in `SESSION_SECRET` of the site's environment. */
  sessionSecret: z.enum(["file", "environment"]),
});

/** What a backup is, and what its rows need. */
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

/** The digests of all entries, and the numbers of rows. */
export type End = z.infer<typeof endSchema>;

/** The entry of a part of a table, counted from 1. */
export function partName(table: string, part: number): string {
  return `${TABLES}${table}/${String(part).padStart(6, "0")}.copy`;
}

/** The entry of a file. */
export function fileEntryName(path: string): string {
  return `${FILES}${path}`;
}

/** What an entry holds, by its name; null for a name that no backup has. */
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

/** Whether a path stays in its folder on every system. */
function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (path === "" || /[\u0000-\u001f\\]|^[a-z]:/i.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

const LINE_END = "\n".charCodeAt(0);

/** The rows that end in a piece of COPY's text format: a row is a line, since line breaks within values are escaped. */
export function countRows(content: Uint8Array): number {
  let rows = 0;
  for (let at = content.indexOf(LINE_END); at !== -1; at = content.indexOf(LINE_END, at + 1))
    rows++;
  return rows;
}
