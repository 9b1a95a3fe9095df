import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { backUp } from "~/features/backup/write-backup.server";
import { type Database, getDatabase, openDatabase } from "~db/client";
import { bytesOf, digestOf, fillEveryTable, restoreInto } from "../support/backups";
import { createTestDatabase } from "../support/postgres";
import { temporaryDirectory } from "../support/program";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
let backup: Buffer;
const dataDir = temporaryDirectory();

const settings = (path: string) => ({ DATA_DIR: path, SESSION_SECRET: "", LOG_LEVEL: "silent" });

beforeAll(async () => {
  site = await openTestSite();
  setEnvironment(settings(dataDir.path));
  writeFileSync(join(dataDir.path, "session-secret"), "a secret of this site alone, for cookies\n");
  mkdirSync(join(dataDir.path, "content/chapters"), { recursive: true });
  writeFileSync(join(dataDir.path, "content/chapters/01-dawn.md"), "# Dawn\n");
  await fillEveryTable(getDatabase());
  backup = await bytesOf(backUp(new Date()));
});
afterAll(async () => {
  await site.close();
  dataDir.remove();
});

/** A database without rows, or without tables, and an empty DATA_DIR. */
async function withEmptySite(
  { empty }: { empty: boolean },
  work: (database: Database, path: string) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase({ empty });
  // restores take a session of the site's name for a running site
  const database = openDatabase(test.url, { applicationName: "test" });
  const folder = temporaryDirectory();
  setEnvironment(settings(folder.path));
  try {
    await work(database, folder.path);
  } finally {
    await database.close();
    await test.drop();
    folder.remove();
  }
}

describe("a backup", () => {
  it("restores every row, sequence and file", async () => {
    const before = await digestOf(getDatabase());
    await withEmptySite({ empty: true }, async (database, path) => {
      await restoreInto(database, backup);
      expect(await digestOf(database)).toEqual(before);
      expect(before["public.users"]).toMatch(/^7 rows/);
      expect(readFileSync(join(path, "session-secret"), "utf8")).toContain("of this site alone");
      expect(readFileSync(join(path, "content/chapters/01-dawn.md"), "utf8")).toBe("# Dawn\n");
    });
  });

  it("is not restored over a site that somebody uses", async () => {
    await withEmptySite({ empty: false }, async (database) => {
      await database.db.execute(sql`insert into subscribers (email) values ('a@example.test')`);
      const before = await digestOf(database);
      await expect(restoreInto(database, backup)).rejects.toThrow(/not empty.*subscribers/);
      expect(await digestOf(database)).toEqual(before);
    });
  });
});
