import { sql } from "drizzle-orm";
import type { Database } from "~db/client";
import { mailIdle } from "./mail";

/** A summary of a database's contents: each table's number of rows and their digest. */
export type Contents = Record<string, string>;

/**
 * Tables that a site writes without a request: the mail workers' heartbeats, its starts and health, its keys, the
 * edition in its folder, the texts it has announced, and counts of visitors.
 */
const NO_CONTENTS = [
  ...["mail_workers", "site_keys", "stripe_site", "text_announcements"],
  ...["program_starts", "operator_signals", "operator_matters"],
  ...["visitor_hashes", "visitor_salts", "daily_visitors"],
  ...["editions", "edition_documents", "edition_files"],
];

/** Reads all tables of the site, once no mail is being sent: two results differ if anything was written in between. */
export async function readContents(database: Database): Promise<Contents> {
  await mailIdle(database);
  const { db } = database;
  const tables = await db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables
        where table_schema = 'public' order by table_name`,
  );
  const contents: Contents = {};
  for (const { name } of tables) {
    if (NO_CONTENTS.includes(name)) continue;
    const [row] = await db.execute<{ contents: string }>(
      sql`select count(*) || ' rows ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as contents
          from ${sql.identifier(name)} t`,
    );
    contents[name] = row?.contents ?? "";
  }
  return contents;
}

/** The tables that differ. */
export function changedTables(before: Contents, after: Contents): string[] {
  return Object.keys(after).filter((table) => before[table] !== after[table]);
}

/** A table's number of rows. */
export async function countRows({ db }: Database, table: string): Promise<number> {
  const [row] = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from ${sql.identifier(table)}`,
  );
  return row?.count ?? 0;
}
