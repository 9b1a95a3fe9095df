import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { migrationsFolder } from "./migrations-folder";

/** The table that says which migrations were applied. */
export const JOURNAL = "drizzle.__drizzle_migrations";

/** A migration of this program, identified by its digest. */
export type KnownMigration = MigrationMeta & {
  /** The tables there are once it was applied, as `schema.name`. */
  tables: ReadonlySet<string>;
  /** Likewise the sequences that belong to no table. */
  sequences: ReadonlySet<string>;
};

/** The last of the applied migrations; undefined if none was, or if this program does not know them in this order. */
export function lastApplied(migrations: string[]): KnownMigration | undefined {
  const known = knownMigrations();
  if (migrations.some((hash, index) => hash !== known[index]?.hash)) return undefined;
  return known[migrations.length - 1];
}

/** All migrations of this program, in the order they are applied. */
export function knownMigrations(): KnownMigration[] {
  const folder = migrationsFolder();
  return readMigrationFiles({ migrationsFolder: folder }).map((migration, index) => {
    const snapshot = `${String(index).padStart(4, "0")}_snapshot.json`;
    const { tables, sequences } = JSON.parse(readFileSync(join(folder, "meta", snapshot), "utf8"));
    return {
      ...migration,
      tables: new Set([JOURNAL, ...Object.keys(tables)]),
      sequences: new Set(Object.keys(sequences)),
    };
  });
}
