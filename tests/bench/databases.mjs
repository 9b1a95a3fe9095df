import { readFileSync } from "node:fs";
import { join } from "node:path";
import argon2 from "argon2";
import postgres from "postgres";

/** The password of every user in the benchmark. */
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
 * The superuser's address of a running program's embedded database server.
 *
 * @param {string} dataDir
 * @param {string} database
 */
function embeddedAddress(dataDir, database) {
  const folder = join(dataDir, "postgres");
  const lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  const [port, socketFolder] = lines.slice(3, 5);
  const password = readFileSync(join(folder, "golden-path.password"), "utf8").trim();
  const host = encodeURIComponent(socketFolder || "127.0.0.1");
  return `postgres://golden_path:${password}@${host}:${port}/${database}?sslmode=disable`;
}

/**
 * Opens a client for such an address; the socket is passed separately, since postgres.js does not parse it.
 *
 * @param {string} url
 * @param {number} [max] connections
 */
export function connect(url, max = 1) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const host = decodeURIComponent(hostname);
  const database = pathname.slice(1);
  return postgres({ host, port: Number(port), username, password, database, max });
}

/**
 * Creates an empty database next to the program's own.
 *
 * @param {string} dataDir
 * @param {string} name
 */
export async function createDatabase(dataDir, name) {
  const sql = connect(embeddedAddress(dataDir, "postgres"));
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  return embeddedAddress(dataDir, name);
}

/**
 * Fills a migrated database with this number each of users, profiles and newsletter addresses; resolves to its size on
 * disk, in bytes.
 *
 * @param {string} url
 * @param {number} rows
 * @param {string} passwordHash
 */
export async function fill(url, rows, passwordHash) {
  const sql = connect(url);
  await sql`insert into users (email, password_hash)
            select 'user-' || n || '@bench.test', ${passwordHash} from generate_series(1, ${rows}) n`;
  await sql`insert into profiles (id) select id from users`;
  await sql`insert into subscribers (email, confirmed_at)
            select 'subscriber-' || n || '@bench.test', now() from generate_series(1, ${rows}) n`;
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  const [size] = await sql`select pg_database_size(current_database())::float8 as bytes`;
  await sql.end();
  return Number(size?.bytes);
}

/**
 * Adds subscribers who get the newsletter.
 *
 * @param {string} url
 * @param {number} count
 */
export async function addSubscribers(url, count) {
  const sql = connect(url);
  await sql`insert into subscribers (email, confirmed_at, unsubscribe_token)
            select 'reader-' || n || '@bench.test', now(), md5(n::text) from generate_series(1, ${count}) n`;
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  await sql.end();
}

/**
 * Gives an account access for a year.
 *
 * @param {string} url
 * @param {string} email
 */
export async function makeMember(url, email) {
  const sql = connect(url);
  await sql`update profiles set stripe_price_id = 'price_bench', stripe_current_period_end = now() + interval '1 year'
            where id = (select id from users where email = ${email})`;
  await sql.end();
}

/**
 * Makes the first users members, and returns their ids.
 *
 * @param {string} url
 * @param {number} count
 * @returns {Promise<{ id: string, email: string }[]>}
 */
export async function makeMembers(url, count) {
  const sql = connect(url);
  const members = await sql`
    update profiles set stripe_price_id = 'price_bench', stripe_current_period_end = now() + interval '1 year'
    from (select id, email from users order by email limit ${count}) chosen
    where profiles.id = chosen.id returning chosen.id, chosen.email`;
  await sql.end();
  return members.map(({ id, email }) => ({ id, email }));
}

/**
 * The mail of a newsletter post as the site has stored it.
 *
 * @param {string} url
 * @param {string} email
 * @returns {Promise<object>}
 */
export async function storedMail(url, email) {
  const sql = connect(url);
  const [row] = await sql`select message from mails where recipient = ${email}`;
  await sql.end();
  return row?.message ?? {};
}

/**
 * Adds members, and lets them and those there are read texts of the stored edition, the first ones, and take notes.
 *
 * @param {string} url
 * @param {{ members: number, read: number, noted: number }} counts
 */
export async function addReaders(url, { members, read, noted }) {
  const sql = connect(url);
  await sql`insert into users (email, password_hash)
            select 'member-' || n || '@bench.test', '' from generate_series(1, ${members}) n`;
  await sql`insert into profiles (id, stripe_price_id, stripe_current_period_end)
            select id, 'price_bench', now() + interval '1 year' from users
            on conflict (id) do nothing`;
  const texts = (/** @type {number} */ count) => sql`
    (select slug, title, position, kind from edition_documents order by position, kind limit ${count}) text`;
  await sql`insert into reading_progress (user_id, slug, block, read_at)
            select users.id, slug, 7, case when position % 2 = 0 then now() end from users, ${texts(read)}`;
  await sql`insert into notes (user_id, slug, title, text)
            select users.id, slug, title, repeat('What came of it today. ', 20) from users, ${texts(noted)}`;
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  await sql.end();
}
