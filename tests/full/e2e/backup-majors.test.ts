import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { writeBackupFile } from "~/features/backup/backup-file.server";
import { backUp } from "~/features/backup/write-backup.server";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { openEmbeddedPostgres } from "~db/embedded";
import { digestOf, fillEveryTable, restoreInto } from "../../support/backups";
import { openEmbeddedDatabase } from "../../support/embedded-database";
import { Visitor } from "../../support/http-client";
import { installMajors, type MajorServer, startMajor } from "../../support/postgres-majors";
import { runProgram, startProgram, temporaryDirectory } from "../../support/program";

const EMAIL = "walker@example.test";
const PASSWORD = "a long walk";

const missing = await installMajors();
if (missing) console.warn(`Backups are not tested across PostgreSQL's releases: ${missing}.`);

const folders: ReturnType<typeof temporaryDirectory>[] = [];
let server: MajorServer | undefined;
let cookie: string;
/** Digests of the rows in the first backup. */
let digest: Record<string, string>;
/** The latest backup. */
let latest: string;

const folder = () => {
  const made = temporaryDirectory();
  folders.push(made);
  return made.path;
};

async function run(command: string[], variables: Record<string, string>): Promise<void> {
  const { code, stderr } = await runProgram({ command, variables });
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
}

async function digestAt(url: string): Promise<Record<string, string>> {
  const database = openDatabase(url, { applicationName: "test" });
  try {
    return await digestOf(database);
  } finally {
    await database.close();
  }
}

async function digestOfEmbedded(dataDir: string): Promise<Record<string, string>> {
  const server = await openEmbeddedPostgres({ dataDir, purpose: "command" });
  try {
    return await digestAt(server.url);
  } finally {
    await server.stop();
  }
}

describe.skipIf(missing !== null)("a site moves by backup and restore", () => {
  beforeAll(async () => {
    const dataDir = folder();
    const program = await startProgram({ variables: { DATA_DIR: dataDir } });
    const visitor = new Visitor(program.origin);
    await visitor.signUp(EMAIL, PASSWORD);
    cookie = visitor.cookie;
    const database: Database = await openEmbeddedDatabase(dataDir);
    await fillEveryTable(database);
    await database.close();
    await program.stop();
    digest = await digestOfEmbedded(dataDir);
    latest = join(folder(), "first.tar.gz");
    await run(["backup", latest], { DATA_DIR: dataDir });
    server = await startMajor(15);
  }, 120_000);
  afterAll(async () => {
    await server?.remove();
    for (const { remove } of folders) remove();
  });

  /**
   * Restores the last backup into an empty database, compares every row, and makes the next backup from there. It
   * runs in this process, since starting the program each time would take longer.
   */
  async function moveTo(name: string): Promise<void> {
    const url = (await server?.createDatabase(name)) ?? "";
    setEnvironment({ DATA_DIR: folder(), DATABASE_URL: url, LOG_LEVEL: "silent" });
    const database = openDatabase(url, { applicationName: "test" });
    setDatabase(database);
    try {
      await restoreInto(database, await readFile(latest));
      expect(await digestOf(database)).toEqual(digest);
      latest = join(folder(), `${name}.tar.gz`);
      await writeBackupFile(latest, backUp(new Date()));
    } finally {
      setDatabase(null);
      await database.close();
    }
  }

  it("to an external PostgreSQL 15, with every row", () => moveTo("moved"));

  it("to the embedded one of another machine, where members are still signed in", async () => {
    const variables = { DATA_DIR: folder() };
    await run(["restore", latest], variables);
    expect(await digestOfEmbedded(variables.DATA_DIR)).toEqual(digest);
    const second = join(folder(), "embedded.tar.gz");
    await run(["backup", second], variables);
    latest = second;
    const program = await startProgram({ variables });
    try {
      const visitor = new Visitor(program.origin);
      visitor.cookie = cookie;
      expect((await visitor.get("/account")).text).toContain(EMAIL);
      const again = new Visitor(program.origin);
      const json = { email: EMAIL, password: PASSWORD };
      expect((await again.post("/auth/login", { json })).status).toBe(200);
    } finally {
      await program.stop();
    }
  });

  it("and back to an external PostgreSQL 15", async () => {
    await moveTo("moved_back");
    expect(digest["public.users"]).toMatch(/^8 rows/);
  });
});
