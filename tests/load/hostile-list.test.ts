import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "../support/child-environment.mjs";
import { FORMATS, writeHostileList } from "../support/hostile-list";
import { createTestDatabase, type TestDatabase } from "../support/postgres";
import { temporaryDirectory } from "../support/program";

const PROGRAM = resolve(import.meta.dirname, "../../build/index.js");

/** Set LIST_MB=1024 for a list of 1 GB, which takes minutes. */
const LIST_MB = Number(process.env.LIST_MB ?? 24);

let testDatabase: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryDirectory>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { statementTimeout: null });
  folder = temporaryDirectory();
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  folder.remove();
});
afterEach(() => rmSync(join(folder.path, "list.csv"), { force: true }));

/** Reports the program's peak memory in KiB to its parent process; imported into the program. */
const REPORT_PEAK = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from "node:fs";
  process.once("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
`)}`;

/** Imports the list with a small heap; returns the output and the process's peak memory, in bytes. */
async function importList(): Promise<{ code: number | null; output: string; peak: number }> {
  const command = ["subscribers", "import", join(folder.path, "list.csv"), "--source", "a test"];
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, "--max-old-space-size=64", "--import", REPORT_PEAK, PROGRAM, ...command],
    {
      env: childEnvironment({ DATABASE_URL: testDatabase.url, DATA_DIR: folder.path }),
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    },
  );
  const received = { output: "", peak: "" };
  for (const [index, stream] of child.stdio.entries()) {
    stream?.on("data", (text) => {
      received[index === 3 ? "peak" : "output"] += text;
    });
  }
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, output: received.output, peak: Number(received.peak) * 1024 };
}

/** Imports a hostile list of this size, and checks the outcome of every record; returns the peak memory. */
async function importHostileList(megabytes: number): Promise<number> {
  await database.db.execute(sql`truncate subscribers`);
  const format = FORMATS["UTF-8 with a byte order mark"];
  if (!format) throw new Error("There is no such format.");
  const seed = Math.floor(Math.random() * 2 ** 31);
  const list = await writeHostileList(join(folder.path, "list.csv"), {
    length: megabytes * 1_000_000,
    seed,
    format,
    longest: 2_000_000,
    sentences: 80,
  });
  const startedAt = performance.now();
  const { code, output, peak } = await importList();
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `${(list.size / 1e6).toFixed()} MB, seed ${seed}: ${seconds.toFixed(1)} s, peak ${(peak / 1e6).toFixed()} MB`,
  );
  expect(code, output).toBe(0);
  const shown = (count: number) => count.toLocaleString("en");
  expect(output).toContain(`${shown(list.distinct)} added\n`);
  expect(output).toContain(`${shown(list.listed - list.distinct)} repeated in the file\n`);
  expect(output).toContain(`${shown(list.refused.size)} refused\n`);
  const [stored] = await database.db.execute(sql`
    select count(*)::int as count, count(distinct number)::int as numbers, max(number) as last from (
      select substring(email from '^reader-(\\d+)@example\\.test$')::int as number from subscribers
    ) numbered`);
  expect(stored).toEqual({
    count: list.distinct,
    numbers: list.distinct,
    last: list.distinct - 1,
  });
  const report = parse(readFileSync(join(folder.path, "list.refused.csv")), {
    bom: true,
    from: 2,
  }) as string[][];
  expect(report.length).toBe(list.refused.size);
  expect(report.filter(([line, , reason]) => list.refused.get(Number(line)) !== reason)).toEqual(
    [],
  );
  return peak;
}

it("an import's memory does not depend on the size of the list, however hostile it is", {
  timeout: 60_000 + LIST_MB * 1_500,
}, async () => {
  // the heap only reaches its full size after some 20 MB of the list
  const small = await importHostileList(LIST_MB / 4);
  const large = await importHostileList(LIST_MB);
  expect(large).toBeLessThan(small * 1.2);
});
