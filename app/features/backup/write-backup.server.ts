import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "~/env.server";
import { getDatabase } from "~db/client";
import { fullName, type Table } from "~db/dump/catalog";
import { type Snapshot, withSnapshot } from "~db/dump/snapshot";
import { migrationsFolder } from "~db/migrate";
import { type ArchiveWriter, writeArchive } from "./archive-writer.server";
import {
  type End,
  FORMAT_VERSION,
  fileEntryName,
  MANIFEST,
  type Manifest,
  PART_BYTES,
  partName,
  SEQUENCES,
} from "./backup-format";
import { countRows } from "./count-rows";
import { listSiteFiles, openSiteFile } from "./site-files.server";

/**
 * A backup of the whole site as it is now, produced as it is read, while the site goes on. `onForeignTables` is told
 * the names of tables that are not the site's and are left out. Throws an OperatorError.
 */
export function backUp(
  now: Date,
  { onForeignTables = () => {} }: { onForeignTables?: (names: string[]) => void } = {},
): AsyncGenerator<Buffer> {
  return writeArchive((archive) =>
    withSnapshot(getDatabase(), async (snapshot) => {
      if (snapshot.foreignTables.length > 0) onForeignTables(snapshot.foreignTables);
      await addJson(archive, MANIFEST, manifestOf(snapshot, now));
      const rows: End["rows"] = {};
      for (const table of snapshot.tables) {
        rows[fullName(table)] = await addTable(archive, snapshot, table);
      }
      await addJson(archive, SEQUENCES, await snapshot.sequences());
      await addFiles(archive);
      return rows;
    }),
  );
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
 * Adds a table's rows in parts, since tar wants to know sizes in advance; returns their number. Each part ends with a
 * row, so that it can be loaded by itself.
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

async function addFiles(archive: ArchiveWriter): Promise<void> {
  for (const file of await listSiteFiles()) {
    const opened = await openSiteFile(file);
    if (opened) await archive.add(fileEntryName(file.path), opened.bytes, opened.content);
  }
}

async function addJson(archive: ArchiveWriter, name: string, value: unknown): Promise<void> {
  await archive.addBytes(name, Buffer.from(JSON.stringify(value)));
}

function programVersion(): string {
  const file = join(migrationsFolder(), "../../package.json");
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}
