import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addressHash } from "~db/address-hash";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { liftHardBounce, suppressAddress } from "~db/queries/suppressed-addresses";
import { createTestDatabase, type TestDatabase } from "../support/postgres";

let testDatabase: TestDatabase;
let database: Database;
let hash: Buffer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  setDatabase(database);
  const [row] = await database.db.execute<{ hash: Buffer }>(
    sql`select ${addressHash("Reader@Example.test")} as hash`,
  );
  hash = row?.hash ?? Buffer.alloc(0);
});
afterAll(async () => {
  setDatabase(null);
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => database.db.execute(sql`truncate suppressed_addresses`));

const suppressed = () =>
  database.db.execute(
    sql`select reason, reply from suppressed_addresses
        where address_hash = ${addressHash("reader@example.test")}`,
  );

describe("the suppression list", () => {
  it("keeps the first reason, whatever the case the address was written in", async () => {
    expect(await suppressAddress(hash, { reason: "hard-bounce", reply: "550 5.1.1 RCPT TO" })).toBe(
      true,
    );
    expect(await suppressAddress(hash, { reason: "listed" })).toBe(false);
    expect(await suppressed()).toEqual([{ reason: "hard-bounce", reply: "550 5.1.1 RCPT TO" }]);
  });

  it("remembers a complaint above any other reason", async () => {
    await suppressAddress(hash, { reason: "hard-bounce", reply: "550 5.1.1 RCPT TO" });
    expect(await suppressAddress(hash, { reason: "complaint" })).toBe(true);
    expect(await suppressAddress(hash, { reason: "hard-bounce" })).toBe(false);
    expect(await suppressed()).toEqual([{ reason: "complaint", reply: null }]);
  });

  it("forgets a hard bounce once a mail is accepted, but no complaint and no list", async () => {
    await suppressAddress(hash, { reason: "hard-bounce" });
    await liftHardBounce(hash);
    expect(await suppressed()).toEqual([]);
    for (const reason of ["listed", "complaint"] as const) {
      await suppressAddress(hash, { reason });
      await liftHardBounce(hash);
      expect(await suppressed()).toEqual([{ reason, reply: null }]);
    }
  });
});
