import { existsSync } from "node:fs";
import { env } from "~/env.server";
import { type Database, getDatabase } from "~db/client";
import { fullName, type Table } from "~db/dump/catalog";
import { type Snapshot, withSnapshot } from "~db/dump/snapshot";
import { OperatorError } from "~db/operator-error";
import { programVersion } from "~db/program-version";
import { type ArchiveWriter, writeArchive } from "./archive-writer.server";
import {
  countRows,
  type End,
  entryKind,
  FORMAT_VERSION,
  fileEntryName,
  MANIFEST,
  type Manifest,
  PART_BYTES,
  partName,
  SEQUENCES,
} from "./backup-format";
import {
  isOfEdition,
  isSessionSecret,
  listSiteFiles,
  openSiteFile,
  type SiteFile,
} from "./site-files.server";

/**
 * Streams a backup of the whole site as it is now, while the site keeps running. `onLeftOut` gets a sentence for the
 * operator about each omission, such as tables of other programs. Throws an OperatorError.
 */
export function backUp(
  now: Date,
  {
    onLeftOut = () => {},
    database = getDatabase(),
  }: { onLeftOut?: (sentence: string) => void; database?: Database } = {},
): AsyncGenerator<Buffer> {
  return writeArchive(async (archive) => {
    const rows = await withSnapshot(database, async (snapshot) => {
      if (snapshot.foreignTables.length > 0) {
        onLeftOut(
          `Left out, because the site has no such tables: ${snapshot.foreignTables.join(", ")}. Back them up another way.`,
        );
      }
      // before the rows, which may take hours to read
      await requireFiles(onLeftOut);
      await addJson(archive, MANIFEST, manifestOf(snapshot, now));
      const rows: End["rows"] = {};
      for (const table of snapshot.tables) {
        rows[fullName(table)] = await addTable(archive, snapshot, table);
      }
      await addJson(archive, SEQUENCES, await snapshot.sequences());
      return rows;
    });
    // outside the transaction, which would hold up VACUUM while the files are read
    await addFiles(archive);
    return rows;
  });
}

function manifestOf(snapshot: Snapshot, now: Date): Manifest {
  return {
    format: "golden-path-backup",
    version: FORMAT_VERSION,
    program: programVersion(),
    createdAt: now.toISOString(),
    postgresql: snapshot.serverVersion,
    migrations: snapshot.migrations,
    tables: snapshot.tables,
    sessionSecret: env().SESSION_SECRET ? "environment" : "file",
  };
}

/**
 * Adds a table's rows in parts, because tar needs sizes in advance. Returns the row count. Each part ends with a
 * complete row, so it can be loaded separately.
 */
async function addTable(archive: ArchiveWriter, snapshot: Snapshot, table: Table): Promise<number> {
  let rows = 0;
  let parts = 0;
  let pending: Buffer[] = [];
  let bytes = 0;
  const flush = async () => {
    const all = Buffer.concat(pending);
    const content = all.subarray(0, all.lastIndexOf("\n") + 1);
    pending = [all.subarray(content.length)];
    bytes = all.length - content.length;
    if (content.length === 0) return;
    rows += countRows(content);
    await archive.addBytes(partName(fullName(table), ++parts), content);
  };
  for await (const piece of snapshot.rowsOf(table)) {
    pending.push(piece);
    bytes += piece.length;
    if (bytes >= PART_BYTES) await flush();
  }
  if (bytes > 0) await flush();
  return rows;
}

/** Throws an OperatorError if a required file is missing, or a file cannot be part of a backup. */
async function requireFiles(onLeftOut: (sentence: string) => void): Promise<void> {
  const { SESSION_SECRET, CONTENT_DIR, IS_CONTENT_DIR_SET } = env();
  const files = await listSiteFiles();
  for (const file of files) requireName(file);
  const secret = files.find(({ path }) => isSessionSecret(path));
  if (SESSION_SECRET === undefined && secret && !existsSync(secret.source)) {
    throw new OperatorError(
      `${secret.source} is missing: set DATA_DIR to the folder that the site uses, or SESSION_SECRET if the site has it.`,
    );
  }
  if (IS_CONTENT_DIR_SET && !files.some(({ path }) => isOfEdition(path))) {
    onLeftOut(
      `Left out is the edition's folder, because CONTENT_DIR ${CONTENT_DIR} is missing or empty.`,
    );
  }
}

/** Refuses a name that is not UTF-8: it contains U+FFFD here, which does not lead back to the file. */
function requireName({ path, source }: SiteFile): void {
  if (entryKind(fileEntryName(path)) && !path.includes("\uFFFD")) return;
  throw new OperatorError(
    `${JSON.stringify(source)} has a name that a backup can't contain: rename it.`,
  );
}

async function addFiles(archive: ArchiveWriter): Promise<void> {
  for (const file of await listSiteFiles()) {
    requireName(file);
    const opened = await openSiteFile(file);
    if (opened) await archive.add(fileEntryName(file.path), opened.bytes, opened.content);
  }
}

async function addJson(archive: ArchiveWriter, name: string, value: unknown): Promise<void> {
  await archive.addBytes(name, Buffer.from(JSON.stringify(value)));
}
