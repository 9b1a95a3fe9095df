import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { childEnvironment } from "../../support/child-environment.mjs";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { runProgram, temporaryDirectory } from "../../support/program";
import { countRows } from "../../support/tables";
import { hasTerminal, runInTerminal } from "../../support/terminal";

const run = promisify(execFile);
const PROGRAM = resolve(import.meta.dirname, "../../../build/index.js");
const EMAIL = "walker@example.test";

let testDatabase: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryDirectory>;
let variables: Record<string, string>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  folder = temporaryDirectory();
  variables = { DATABASE_URL: testDatabase.url, DATA_DIR: folder.path };
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  folder.remove();
});
beforeEach(async () => {
  await database.db.execute(sql`truncate users cascade`);
  await database.db.execute(
    sql`insert into users (email, password_hash) values (${EMAIL}, ''), ('other@example.test', '')`,
  );
});

const accounts = () => countRows(database, "users");

describe.runIf(hasTerminal)("members delete on a terminal", () => {
  it("lists what will be deleted, and deletes the account whose address is typed", async () => {
    const { code, screen } = await runInTerminal({
      command: ["members", "delete", EMAIL],
      variables,
      typed: [{ after: `Type '${EMAIL}' to delete the account:`, text: `${EMAIL}\n` }],
    });
    expect(screen).toContain(`This deletes the account of ${EMAIL}`);
    expect(screen).toContain(`${EMAIL} was deleted.`);
    expect(code).toBe(0);
    expect(await database.db.execute(sql`select email from users`)).toEqual([
      { email: "other@example.test" },
    ]);
  });

  it("does nothing if another address is typed", async () => {
    const { code, screen } = await runInTerminal({
      command: ["members", "delete", EMAIL],
      variables,
      typed: [{ after: "to delete the account:", text: "other@example.test\n" }],
    });
    expect(screen).toContain("Nothing was done.");
    expect(code).toBe(1);
    expect(await accounts()).toBe(2);
  });
});

describe("members export", () => {
  it("waits for a slow reader, and ends quietly when its reader quits", async () => {
    await database.db.execute(sql`
      insert into notes (user_id, slug, title, text)
      select id, 'text-' || n, 'Text', repeat('x', 1000000)
      from users, generate_series(1, 160) n where email = ${EMAIL}`);
    const command = `${process.execPath} --max-old-space-size=110 ${PROGRAM} members export ${EMAIL}`;
    const env = childEnvironment(variables);
    // more than fits its memory
    const whole = await run(
      "bash",
      ["-o", "pipefail", "-c", `${command} | (sleep 1; tail -c 300000000) | wc -c`],
      { env },
    );
    expect(Number(whole.stdout)).toBeGreaterThan(160_000_000);
    const cut = await run("bash", ["-o", "pipefail", "-c", `${command} | head -n 3`], { env });
    expect(cut.stdout.split("\n")).toHaveLength(4);
    expect(cut.stderr).toBe("");
  });
});

describe("the commands' log", () => {
  it("contains no address and no link, only the security event of a reset link", async () => {
    const { code, stdout, stderr } = await runProgram({
      command: ["members", "reset-link", EMAIL],
      variables: { ...variables, LOG_LEVEL: "debug" },
    });
    expect(code).toBe(0);
    const token = new URL(stdout.trim()).searchParams.get("token") ?? "";
    expect(token).toHaveLength(43);
    expect(stderr).toContain('"security":"password-reset-requested"');
    expect(stderr).not.toContain(token);
    expect(stderr).not.toContain(EMAIL);
  });
});
