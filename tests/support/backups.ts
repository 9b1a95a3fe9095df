import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { setEnvironment } from "~/env.server";
import { restoreBackup } from "~/features/backup/restore-backup.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { type Database, getDatabase, openDatabase, setDatabase } from "~db/client";
import { createTestDatabase, type TestDatabase } from "./postgres";
import { temporaryDirectory } from "./program";

/** Texts that a format of lines and columns has to escape. */
const HOSTILE_TEXTS = [
  "a\ttab, a\nnew line, a\rreturn, a \\ and a \\. at its end\\.",
  "\\N",
  "\\.",
  "",
  "'; drop table users; --",
  "Grüße, 你好, \u{1f30d}\u2028\u200b\ufeff",
  "\u0001\u007f",
];

/** Adds rows to every table, with every kind of value its columns can hold. */
export async function fillEveryTable({ db }: Database): Promise<void> {
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    const [user] = await db.execute<{ id: string }>(
      sql`insert into users (email, password_hash, avatar_url, created_at)
        values (${`walker-${index}@example.test`}, ${text}, null, '0044-03-15 12:00:00.123456+00 BC') returning id`,
    );
    const id = user?.id;
    const bytes = sql`decode(${randomBytes(5_000).toString("hex")}, 'hex')`;
    await db.execute(
      sql`insert into profiles (id, stripe_customer_id, sync_number) values (${id}, ${`cus_${index}`}, nextval('billing_sync_numbers'))`,
    );
    await db.execute(
      sql`insert into sessions (token_hash, user_id, expires_at, browser) values (${`hash ${index}`}, ${id}, 'infinity', ${text})`,
    );
    await db.execute(
      sql`insert into passkeys (id, user_id, name, public_key, counter, transports)
        values (${`key ${index}`}, ${id}, ${text}, ${bytes}, 9007199254740993, array[${text}, 'a,b', '{"c"}', 'null'])`,
    );
    await db.execute(
      sql`insert into avatars (user_id, small_sha256, small, large_sha256, large) values (${id}, 's', ${bytes}, 'l', ''::bytea)`,
    );
    await db.execute(
      sql`insert into notes (user_id, slug, title, text) values (${id}, 'one', ${text}, ${text.repeat(500)})`,
    );
    await db.execute(
      sql`insert into reading_progress (user_id, slug, second) values (${id}, 'one', ${0.1 + 0.2}::float8), (${id}, 'two', 'NaN'), (${id}, 'three', 1e-300)`,
    );
    await db.execute(
      sql`insert into subscribers (email, consent_source) values (${`reader-${index}@example.test`}, ${text})`,
    );
  }
  await db.execute(sql`insert into site_keys (name, value) values ('letters', '\\x00ff0a0d5c')`);
  await db.execute(
    sql`insert into editions (digest, landing) values ('edition', ${JSON.stringify({ text: HOSTILE_TEXTS })}::jsonb)`,
  );
  await db.execute(
    sql`insert into edition_documents (edition, slug, kind, position, title, summary, word_count, html, blocks, search, render_key)
      values ('edition', 'one', 'chapter', 1, 'One', '', 3, '<p>', array['a', null], setweight(to_tsvector('english', 'walking at dawn'), 'A'), 'key')`,
  );
  await db.execute(
    sql`insert into campaigns (slug, audience, subject, preview_text, markdown, start_at, rate)
      values ('letter', 'subscribers', 'S', 'P', ${HOSTILE_TEXTS[0]}, now(), 'infinity')`,
  );
}

/** A digest of the rows of every table of the site, the journal of migrations included, and its sequences. */
export async function digestOf({ db }: Database): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  const tables = await db.execute<{ name: string }>(
    sql`select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('public', 'drizzle') and table_type = 'BASE TABLE' order by 1`,
  );
  for (const { name } of tables) {
    const [row] = await db.execute<{ digest: string }>(
      sql`select count(*) || ' rows ' || coalesce(md5(string_agg(md5(t::text), ',' order by md5(t::text))), '') as digest from ${sql.raw(name)} t`,
    );
    digests[name] = row?.digest ?? "";
  }
  const sequences = await db.execute<{ name: string }>(
    sql`select schemaname || '.' || sequencename as name from pg_sequences where schemaname in ('public', 'drizzle') order by 1`,
  );
  for (const { name } of sequences) {
    const [row] = await db.execute<{ state: string }>(
      sql`select last_value || ' ' || is_called as state from ${sql.raw(name)}`,
    );
    digests[name] = row?.state ?? "";
  }
  return digests;
}

/** The settings of a site with its own secret. */
export const settingsFor = (path: string) => ({
  DATA_DIR: path,
  SESSION_SECRET: "",
  LOG_LEVEL: "silent",
});

/** Runs work with an empty database and with DATA_DIR set to an empty folder. */
export async function withEmptySite(
  work: (empty: { database: Database; test: TestDatabase; path: string }) => Promise<void>,
  options = { empty: true },
): Promise<void> {
  const test = await createTestDatabase(options);
  // a restore would mistake a session under the site's name for a running site
  const database = openDatabase(test.url, { applicationName: "test" });
  const folder = temporaryDirectory();
  setEnvironment(settingsFor(folder.path));
  try {
    await work({ database, test, path: folder.path });
  } finally {
    await database.close();
    await test.drop();
    folder.remove();
  }
}

/** All of a stream's bytes. */
export async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A backup's bytes in chunks, as from a file. */
export async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Verifies and restores a backup into a database, as `restore` does. */
export async function restoreInto(
  database: Database,
  backup: Uint8Array,
  options: { keepContent?: boolean } = {},
): Promise<{ replaced: string[] }> {
  const verified = await verifyBackup(inPieces(backup));
  const withDatabase = async (work: () => Promise<void>) => {
    const before = getDatabase();
    setDatabase(database);
    try {
      await work();
    } finally {
      setDatabase(before);
    }
  };
  return restoreBackup(verified, () => inPieces(backup), withDatabase, options);
}
