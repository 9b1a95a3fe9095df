import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { backUp } from "~/features/backup/write-backup.server";
import { type Database, getDatabase } from "~db/client";
import {
  bytesOf,
  digestOf,
  fillEveryTable,
  restoreInto,
  settingsFor,
  withEmptySite,
} from "../support/backups";
import { temporaryDirectory } from "../support/program";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
let backup: Buffer;
const dataDir = temporaryDirectory();

beforeAll(async () => {
  site = await openTestSite();
  setEnvironment(settingsFor(dataDir.path));
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

describe("a backup", () => {
  it("restores every row, sequence and file", async () => {
    const before = await digestOf(getDatabase());
    await withEmptySite(async ({ database, path }) => {
      await restoreInto(database, backup);
      expect(await digestOf(database)).toEqual(before);
      expect(before["public.users"]).toMatch(/^7 rows/);
      expect(readFileSync(join(path, "session-secret"), "utf8")).toContain("of this site alone");
      expect(readFileSync(join(path, "content/chapters/01-dawn.md"), "utf8")).toBe("# Dawn\n");
    });
  });

  it("is not restored over a site in use", async () => {
    const work = async ({ database }: { database: Database }) => {
      await database.db.execute(sql`insert into subscribers (email) values ('a@example.test')`);
      const before = await digestOf(database);
      await expect(restoreInto(database, backup)).rejects.toThrow(/not empty.*subscribers/);
      expect(await digestOf(database)).toEqual(before);
    };
    await withEmptySite(work, { empty: false });
  });
});
