import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { childEnvironment } from "../../support/child-environment.mjs";
import { eventually } from "../../support/eventually";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { runProgram, temporaryDirectory } from "../../support/program";
import { countRows } from "../../support/tables";

const PROGRAM = resolve(import.meta.dirname, "../../../build/index.js");

let testDatabase: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryDirectory>;
let variables: Record<string, string>;
let list: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  folder = temporaryDirectory();
  list = join(folder.path, "list.csv");
  variables = { DATABASE_URL: testDatabase.url, DATA_DIR: folder.path };
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  folder.remove();
});
beforeEach(() => database.db.execute(sql`truncate subscribers`));

/** Writes a list of this many addresses: `reader-1@example.test` and so on. */
function writeList(count: number): void {
  const rows = Array.from({ length: count }, (_, index) => `reader-${index + 1}@example.test`);
  writeFileSync(list, `email\n${rows.join("\n")}\n`);
}

const subscriberCount = () => countRows(database, "subscribers");

describe("the subscribers commands", () => {
  it("ask for the source of consent on a terminal, and store the answer", async () => {
    writeList(2);
    const terminal = spawn(
      "script",
      ["-qec", `${process.execPath} ${PROGRAM} subscribers import ${list}`, "/dev/null"],
      { env: childEnvironment(variables), stdio: "pipe" },
    );
    let screen = "";
    terminal.stdout.on("data", (text) => {
      screen += text;
    });
    const ended = new Promise((done) => terminal.once("close", done));
    await eventually(() => expect(screen).toContain("Where does this list come from"));
    terminal.stdin.write("the book fair\n");
    expect(await ended).toBe(0);
    expect(screen).toContain("2 added");
    expect(
      await database.db.execute(sql`select distinct consent_source as source from subscribers`),
    ).toEqual([{ source: "the book fair" }]);
  });

  it("read a list from standard input, and refuse one that they do not understand", async () => {
    const run = async (text: string) => {
      const command = [PROGRAM, "subscribers", "import", "-", "--source", "a test"];
      const child = spawn(process.execPath, command, { env: childEnvironment(variables) });
      const output = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const) {
        child[name].on("data", (part) => {
          output[name] += part;
        });
      }
      child.stdin.end(text);
      const code = await new Promise((done) => child.once("close", done));
      return { code, ...output };
    };
    const rows = Array.from({ length: 20_000 }, (_, n) => `reader-${n}@example.test,subscribed`);
    const read = await run(`email,status\n${rows.join("\n")}\nnobody,subscribed\n`);
    const report = /What was left out, and why: (.*)\n$/.exec(read.stdout)?.[1] ?? "";
    expect(read.stdout).toContain("20,000 added\n");
    expect(readFileSync(report, "utf8")).toContain('"20002","nobody","not an email address"');
    rmSync(dirname(report), { recursive: true });
    expect(await run("email,status\na@example.test,enabled\n")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("Standard input:2: 'status' is 'enabled'"),
    });
    expect(await run("")).toMatchObject({ code: 1, stderr: "Standard input is empty.\n" });
    expect(await subscriberCount()).toBe(20_000);
  });

  it("finish a killed import when run again", async () => {
    writeList(60_000);
    const command = [PROGRAM, "subscribers", "import", list, "--source", "a test"];
    const first = spawn(process.execPath, command, { env: childEnvironment(variables) });
    const ended = new Promise((done) => first.once("exit", (_, signal) => done(signal)));
    await eventually(async () => expect(await subscriberCount()).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 5,
    });
    first.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    const before = await subscriberCount();
    expect(before).toBeLessThan(60_000);

    // a slow machine reports progress on standard error
    const { code, stdout } = await runProgram({ command: command.slice(1), variables });
    const counted = (count: number) => count.toLocaleString("en");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${counted(60_000 - before)} added\n${counted(before)} already on the list\n`,
    });
    expect(await subscriberCount()).toBe(60_000);
  });
});
