import { sql } from "drizzle-orm";
import { getDatabase } from "~db/client";

/**
 * Notes with which `synchronous_commit` each row is inserted into a table from now on. It is `on` for connections that are
 * opened from now on, unlike in other tests.
 */
export async function noteCommits(databaseUrl: string, table: string) {
  const { db } = getDatabase();
  const name = sql.raw(`note_commit_of_${table}`);
  await db.execute(sql`create table if not exists commits (setting text)`);
  await db.execute(sql`
    create function ${name}() returns trigger language plpgsql as $$
    begin insert into commits values (current_setting('synchronous_commit')); return null; end $$`);
  // a deferred one runs when the transaction is committed
  await db.execute(sql`
    create constraint trigger note_commit after insert on ${sql.identifier(table)}
    deferrable initially deferred for each row execute function ${name}()`);
  await db.execute(
    sql.raw(`alter database ${new URL(databaseUrl).pathname.slice(1)} set synchronous_commit = on`),
  );
  return {
    /** Those of all rows so far. */
    settings: async () => {
      const rows = await db.execute<{ setting: string }>(sql`select setting from commits`);
      return rows.map(({ setting }) => setting);
    },
    stop: () => db.execute(sql`drop trigger note_commit on ${sql.identifier(table)}`),
  };
}
