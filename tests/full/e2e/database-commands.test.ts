import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { runCommand } from "../../support/command";
import { freePorts } from "../../support/ports.mjs";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

const data = temporaryDirectory();
const hasPsql = serverProgram("psql") !== null;
const skipped = unlessInstalled("psql");

/** psql prints to its own output, not through this process. */
const psql = (...parameters: string[]) =>
  runProgram({ command: ["db", "psql", ...parameters], variables: { DATA_DIR: data.path } });

const url = (variables: Record<string, string> = {}, ...options: string[]) => {
  setEnvironment({ DATA_DIR: data.path, LOG_LEVEL: "warn", ...variables });
  return runCommand("db", "url", ...options);
};

/** Runs a query at the address, as a shell would. */
async function ask(url: string, question: string): Promise<string> {
  const parameters = [url, "--no-psqlrc", "--tuples-only", "--no-align", "-c", question];
  return (await promisify(execFile)("psql", parameters)).stdout.trim();
}

afterAll(() => data.remove());

describe("while the site runs", () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram({ variables: { DATA_DIR: data.path, LOG_LEVEL: "trace" } });
  });
  afterAll(() => program?.stop());

  it.skipIf(!hasPsql)(`'db url' prints an address that psql opens${skipped}`, async () => {
    const { code, stdout, stderr } = await url();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const address = stdout.trim();
    expect(await ask(address, "select current_user")).toBe("golden_path_site");
    expect(await ask(address, "select count(*) from users")).toBe("0");
    const superuser = (await url({}, "--superuser")).stdout.trim();
    expect(await ask(superuser, "select usesuper from pg_user where usename = current_user")).toBe(
      "t",
    );
    const password = decodeURIComponent(new URL(address).password);
    expect(password.length).toBeGreaterThan(20);
    expect(program.output()).not.toContain(password);
  });

  it.skipIf(!hasPsql)(`'db psql' opens it, and leaves it running${skipped}`, async () => {
    const { code, stdout } = await psql("-Atc", "select 6 * 7");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "42\n" });
    expect(existsSync(join(data.path, "postgres/postmaster.pid"))).toBe(true);
    expect((await psql("-v", "ON_ERROR_STOP=1", "-c", "select nothing")).code).toBe(1);
  });
});

describe("while the site does not run", () => {
  it("'db url' says what to do instead", async () => {
    const { code, stdout, stderr } = await url();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      `in DATA_DIR ${data.path} runs only while one of this site's programs does`,
    );
    expect(stderr).toContain("'db psql'");
  });

  it.skipIf(!hasPsql)(`'db psql' starts the database, and stops it again${skipped}`, async () => {
    const asked = await psql("-Atc", "select count(*) from users");
    expect(asked).toMatchObject({ code: 0, stdout: "0\n" });
    expect(existsSync(join(data.path, "postgres/postmaster.pid"))).toBe(false);
  });
});

it("'db url' prints DATABASE_URL unchanged for an external database", async () => {
  const DATABASE_URL = `postgres://reader:p%40ss@127.0.0.1:${await freePorts(1)}/book?sslmode=disable`;
  expect(await url({ DATABASE_URL })).toEqual({
    code: 0,
    stdout: `${DATABASE_URL}\n`,
    stderr: "",
  });
  expect(await url({ DATABASE_URL }, "--superuser")).toMatchObject({ code: 1, stdout: "" });
});
