import type { Connection } from "../connection";
import { JOURNAL, type KnownMigration } from "../known-migrations";

/** A table, with the columns whose values are stored and not generated, in the table's order. */
export type Table = { schema: string; name: string; columns: string[] };

/** A sequence and how far it has counted. */
export type Sequence = { schema: string; name: string; lastValue: string; isCalled: boolean };

/** The schemas that the migrations create tables in. */
const SCHEMAS = "('public', 'drizzle')";

/** Excludes tables of extensions, and partitions, whose rows are read with their table. */
const OWN = `not relispartition and not exists (
  select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`;

/** The full name of a table or sequence, as in the migrations' snapshots. */
export const fullName = ({ schema, name }: { schema: string; name: string }) => `${schema}.${name}`;

/** The same, to be put into a statement. */
export const quoted = ({ schema, name }: { schema: string; name: string }) =>
  `${quote(schema)}.${quote(name)}`;

/** An identifier as it is put into a statement. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** All tables of the migrations' schemas, including those of others, by name. */
export async function readTables(connection: Connection): Promise<Table[]> {
  const rows = await connection.query(`select nspname as schema, relname as name, coalesce(
        (select json_agg(attname order by attnum) from pg_attribute
          where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''),
        '[]') as columns
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname in ${SCHEMAS} and relkind in ('r', 'p') and ${OWN}
      order by nspname, relname`);
  return rows as unknown as Table[];
}

/** A site's tables, and those of its sequences that belong to none of them, as `schema.name`. */
type Names = Pick<KnownMigration, "tables" | "sequences">;

/**
 * A site's sequences; others may not even be readable. A transaction's snapshot does not cover sequences, so read them
 * after the rows, and they are never behind.
 */
export async function readSequences(connection: Connection, site: Names): Promise<Sequence[]> {
  const names =
    (await connection.query(`select sequence_schema.nspname as schema, sequence.relname as name,
        owner_schema.nspname || '.' || owner.relname as owner
      from pg_class sequence join pg_namespace sequence_schema on sequence_schema.oid = sequence.relnamespace
        left join pg_depend on classid = 'pg_class'::regclass and objid = sequence.oid
          and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
        left join pg_class owner on owner.oid = refobjid
        left join pg_namespace owner_schema on owner_schema.oid = owner.relnamespace
      where sequence_schema.nspname in ${SCHEMAS} and sequence.relkind = 'S' order by 1, 2`)) as unknown as {
      schema: string;
      name: string;
      owner: string | null;
    }[];
  const sequences: Sequence[] = [];
  for (const { owner, ...sequence } of names) {
    const isOwn = owner === null ? site.sequences.has(fullName(sequence)) : site.tables.has(owner);
    if (!isOwn) continue;
    const [row] = await connection.query(
      `select last_value::text as value, is_called as called from ${quoted(sequence)}`,
    );
    sequences.push({ ...sequence, lastValue: String(row?.value), isCalled: row?.called === true });
  }
  return sequences;
}

/** The digests of the migrations that were applied, in order; none in a database without the journal's table. */
export async function readAppliedMigrations(connection: Connection): Promise<string[]> {
  const [found] = await connection.query(`select to_regclass('${JOURNAL}') is not null as found`);
  if (found?.found !== true) return [];
  const rows = await connection.query(`select hash from ${JOURNAL} order by created_at, id`);
  return rows.map(({ hash }) => String(hash));
}
