import { readFileSync } from "node:fs";
import { join } from "node:path";
import argon2 from "argon2";
import postgres from "postgres";

/** The password of every account in the benchmark. */
export const PASSWORD = "a long walk";

/** A hash of it, as the site makes them. */
export const hashOfPassword = () =>
  argon2.hash(PASSWORD, {
    type: argon2.argon2id,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  });

/**
 * The superuser's address of the database of a running site.
 *
 * @param {string} dataDir
 */
export function databaseAddress(dataDir) {
  const folder = join(dataDir, "postgres");
  const lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  const [port, socketFolder] = lines.slice(3, 5);
  const password = readFileSync(join(folder, "golden-path.password"), "utf8").trim();
  const host = encodeURIComponent(socketFolder || "127.0.0.1");
  return `postgres://golden_path:${password}@${host}:${port}/golden_path?sslmode=disable`;
}

/**
 * Adds accounts with access for a year.
 *
 * @param {string} url
 * @param {number} count
 * @returns {Promise<{ id: string, email: string }[]>}
 */
export async function addMembers(url, count) {
  const { hostname, port, username, password, pathname } = new URL(url);
  // passed separately, since postgres.js does not parse the folder of a socket
  const host = decodeURIComponent(hostname);
  const sql = postgres({
    host,
    port: Number(port),
    username,
    password,
    database: pathname.slice(1),
  });
  const hash = await hashOfPassword();
  const members = await sql`
    insert into users (email, password_hash)
    select 'member-' || n || '@bench.test', ${hash} from generate_series(1, ${count}) n
    returning id, email`;
  await sql`
    insert into profiles (id, stripe_price_id, stripe_current_period_end)
    select id, 'price_bench', now() + interval '1 year' from users`;
  await sql.end();
  return members.map(({ id, email }) => ({ id, email }));
}
