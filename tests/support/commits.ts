import { sql } from "drizzle-orm";
import { type Database, getDatabase, openDatabase, setDatabase } from "~db/client";

/**
 * Has the site commit synchronously, unlike in other tests, and by connections of its own while `work` runs, which gets
 * them and what returns the `synchronous_commit` of each row that was inserted into the table meanwhile.
 */
export async function notingCommits(
  { databaseUrl, table, onQuery }: { databaseUrl: string; table: string; onQuery?: () => void },
  work: (database: Database, settings: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const usual = getDatabase();
  const { db } = usual;
  await db.execute(sql`create table commits (setting text)`);
  await db.execute(sql`
    create function note_commit() returns trigger language plpgsql as $$
    begin insert into commits values (current_setting('synchronous_commit')); return null; end $$`);
  // a deferred one runs when the transaction is committed
  await db.execute(sql`
    create constraint trigger note_commit after insert on ${sql.identifier(table)}
    deferrable initially deferred for each row execute function note_commit()`);
  await db.execute(
    sql.raw(`alter database ${new URL(databaseUrl).pathname.slice(1)} set synchronous_commit = on`),
  );
  const database = openDatabase(databaseUrl, { onQuery });
  setDatabase(database);
  try {
    await work(database, async () => {
      const rows = await db.execute<{ setting: string }>(sql`select setting from commits`);
      return rows.map(({ setting }) => setting);
    });
  } finally {
    setDatabase(usual);
    await database.close();
    await db.execute(sql`drop trigger note_commit on ${sql.identifier(table)}`);
  }
}
