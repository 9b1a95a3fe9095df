import { afterAll, beforeAll, expect, it } from "vitest";
import { isDatabaseReady } from "~/observability/readiness.server";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { freePorts } from "../support/ports.mjs";
import { createTestDatabase, type TestDatabase } from "../support/postgres";

let testDatabase: TestDatabase;
let database: Database;
let queries = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, {
    onQuery: () => {
      queries += 1;
    },
  });
  setDatabase(database);
});
afterAll(async () => {
  setDatabase(null);
  await database.close();
  await testDatabase.drop();
});

it("a flood of health checks makes one database query at a time", async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, isDatabaseReady));
  expect(answers).toEqual(Array(500).fill(true));
  expect(queries).toBe(1);
  expect(await isDatabaseReady()).toBe(true);
  expect(queries).toBe(2);
});

it("a database that is down is not ready, and is queried each time", async () => {
  const away = openDatabase(`postgres://nobody@127.0.0.1:${await freePorts(1)}/nothing`, {
    restartTimeout: 0,
  });
  setDatabase(away);
  expect(await isDatabaseReady()).toBe(false);
  setDatabase(database);
  await away.close();
  expect(await isDatabaseReady()).toBe(true);
});
