import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Hash of the password every user of the benchmark has, at the site's parameters. */
export const PASSWORD = "a long walk";

/**
 * The address of a running program's embedded database server.
 *
 * @param {string} dataDir
 * @param {string} database
 */
export function embeddedAddress(dataDir, database) {
  const folder = join(dataDir, "postgres");
  const port = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[3];
  const password = readFileSync(join(folder, "golden-path.password"), "utf8").trim();
  return `postgres://golden_path:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

/**
 * Makes an empty database beside the program's own.
 *
 * @param {string} dataDir
 * @param {string} name
 */
export async function createDatabase(dataDir, name) {
  const sql = postgres(embeddedAddress(dataDir, "postgres"), { max: 1 });
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  return embeddedAddress(dataDir, name);
}

/**
 * Fills a migrated database with as many users, profiles and newsletter addresses.
 *
 * @param {string} url
 * @param {number} rows
 * @param {string} passwordHash
 */
export async function fill(url, rows, passwordHash) {
  const sql = postgres(url, { max: 1 });
  await sql`insert into users (email, password_hash)
            select 'user-' || n || '@bench.test', ${passwordHash} from generate_series(1, ${rows}) n`;
  await sql`insert into profiles (id) select id from users`;
  await sql`insert into subscribers (email, confirmed_at)
            select 'subscriber-' || n || '@bench.test', now() from generate_series(1, ${rows}) n`;
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  await sql.end();
}
