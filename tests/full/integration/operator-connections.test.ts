import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { SiteCheck } from "~/features/checks/site-check.server";
import { connectDatabase, type Database, setDatabase } from "~db/client";
import type { Connection } from "~db/connection";
import { migrateDatabase } from "~db/migrate";
import { OwnPostgres } from "../../support/own-postgres";
import { temporaryDirectory } from "../../support/program";

let server: OwnPostgres;
let database: Database;
const data = temporaryDirectory();
const sessions: Connection[] = [];

beforeAll(async () => {
  // three of them are reserved for the superuser
  server = await OwnPostgres.create(undefined, { max_connections: "23" });
  database = await connectDatabase(server.url, { max: 2 });
  await migrateDatabase(database);
  setDatabase(database);
  setEnvironment({
    DATA_DIR: data.path,
    LOG_LEVEL: "silent",
    OPERATOR_EMAIL: "hand@operator.test",
  });
}, 60_000);
afterAll(async () => {
  for (const session of sessions) await session.end();
  setDatabase(null);
  await database.close();
  await server.remove();
  data.remove();
});

const look = (minutes: number) => {
  const now = new Date(Date.now() + minutes * 60_000);
  return new SiteCheck(randomUUID(), now).run(now);
};
const subjects = async () => {
  const rows = await database.db.execute<{ subject: string }>(
    sql`select message ->> 'subject' as subject from mails order by created_at`,
  );
  return rows.map(({ subject }) => subject.replace(/^.*?: /, ""));
};

it("reports when database connections have nearly run out for minutes, and when there are enough again", async () => {
  await look(0);
  while (sessions.length < 17) sessions.push(await database.connect());
  await look(1);
  expect(await subjects()).toEqual([]);
  await look(7);
  await look(8);
  expect(await subjects()).toEqual(["The database is running out of connections"]);
  for (const session of sessions.splice(0)) await session.end();
  for (const minutes of [20, 30, 36, 37]) await look(minutes);
  expect((await subjects()).slice(1)).toEqual(["The database has connections to spare again"]);
});
