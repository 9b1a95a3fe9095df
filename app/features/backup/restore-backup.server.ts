import { type Database, getDatabase } from "~db/client";
import { type Loader, loadIntoEmpty, requireEmpty } from "~db/dump/load";
import { knownMigrations } from "~db/known-migrations";
import { type ArchiveEntry, BrokenBackup, readAll, readArchive } from "./archive-reader.server";
import { type Manifest, sequencesSchema } from "./backup-format";
import { type FilePlacer, prepareFiles } from "./place-files.server";
import type { VerifiedBackup } from "./verify-backup.server";

/** Throws a BrokenBackup if this release does not know the backup's migrations. */
export function requireKnownRelease({ migrations, program }: Manifest): void {
  const known = knownMigrations();
  if (migrations.every((digest, index) => digest === known[index]?.hash)) return;
  throw new BrokenBackup(
    `The backup was made by release ${program}, whose database this program does not know: install that release, or a later one, and restore with it.`,
  );
}

/**
 * Fills the empty database and DATA_DIR from a verified backup, which `open` reads again. If the program is killed,
 * the database stays empty and the restore can be run again. `withDatabase` opens the database exclusively. Returns
 * the names under which existing files were kept. Throws an OperatorError.
 */
export async function restoreBackup(
  { manifest, end }: VerifiedBackup,
  open: () => AsyncIterable<Uint8Array>,
  withDatabase: (work: () => Promise<void>) => Promise<void>,
  options: { keepContent?: boolean } = {},
): Promise<{ replaced: string[] }> {
  requireKnownRelease(manifest);
  const files = await prepareFiles(end, options);
  let replaced: string[] = [];
  await withDatabase(async () => {
    await requireEmpty(getDatabase());
    await files.discard();
    try {
      await loadIntoEmpty(
        getDatabase(),
        manifest.migrations,
        (loader) => readInto(open(), manifest, { loader, files }),
        // before the commit: files without a database are harmless, a database without its secret is not
        async () => {
          replaced = await files.place();
        },
      );
    } finally {
      await files.discard();
    }
  });
  return { replaced };
}

/** Fills an empty database from a verified backup, without restoring the site's files. */
export async function restoreRows(
  { manifest }: VerifiedBackup,
  open: () => AsyncIterable<Uint8Array>,
  database: Database,
): Promise<void> {
  await loadIntoEmpty(database, manifest.migrations, (loader) =>
    readInto(open(), manifest, { loader, files: { stage: async () => {} } }),
  );
}

/** Loads each table part separately, in order, and stages the files. */
async function readInto(
  source: AsyncIterable<Uint8Array>,
  expected: Manifest,
  { loader, files }: { loader: Loader; files: Pick<FilePlacer, "stage"> },
): Promise<void> {
  const tables = new Map(expected.tables.map((table) => [`${table.schema}.${table.name}`, table]));
  await readArchive(source, {
    onManifest: async (manifest) => {
      if (JSON.stringify(manifest) !== JSON.stringify(expected)) throw changed();
    },
    onEntry: async ({ kind, content }: ArchiveEntry) => {
      switch (kind.kind) {
        case "part": {
          const table = tables.get(kind.table);
          if (!table) throw changed();
          return loader.loadRows(table, content);
        }
        case "sequences":
          return loader.loadSequences(
            sequencesSchema.parse(JSON.parse(String(await readAll(content)))),
          );
        case "file":
          return files.stage(kind.path, content);
      }
    },
  });
}

function changed(): BrokenBackup {
  return new BrokenBackup("The backup changed while it was restored. Nothing was changed.");
}
