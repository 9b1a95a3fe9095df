import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually";

const SCRIPT = resolve(import.meta.dirname, "../../../docs/deploy/postgres-start.sh");

/** Stand-ins for the image's programs, controlled by files in the test's folder. */
const PROGRAMS = {
  "docker-entrypoint.sh": 'echo "starts $*"',
  gosu: 'shift; exec "$@"',
  install: 'mkdir -p "$5"',
  psql: 'echo "psql $*" >>calls; cat answer 2>/dev/null || exit 2',
  pg_basebackup: `echo "pg_basebackup $*" >>calls
    echo half >"$PGDATA.copy/half"
    [ -e breaks ] && { rm breaks; touch "$PGDATA.copy/leftover"; exit 1; }
    [ -e hangs ] && exec sleep 60
    [ "$(ls "$PGDATA.copy")" = half ] || exit 1
    mv "$PGDATA.copy/half" "$PGDATA.copy/PG_VERSION"
    touch "$PGDATA.copy/standby.signal"
    printf "synchronous_standby_names = '*'\\nprimary_slot_name = 'postgres_2'\\n" >"$PGDATA.copy/postgresql.auto.conf"`,
  sleep: "exec /bin/sleep 0.05",
};

let folder: string;
let data: string;
let running: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "golden-path-postgres-start-"));
  data = join(folder, "data");
  mkdirSync(join(folder, "bin"));
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  }
});
afterEach(() => {
  running?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const note = (name: string, text = "") => writeFileSync(join(folder, name), text);
const calls = () =>
  existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8") : "";

function begin(self: string, primary: string) {
  const server = spawn("bash", [SCRIPT, "postgres", "-c", "x=1"], {
    cwd: folder,
    env: {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      SELF: self,
      OTHER: self === "postgres-1" ? "postgres-2" : "postgres-1",
      PRIMARY: primary,
      PGDATA: data,
    } as unknown as NodeJS.ProcessEnv,
  });
  running = server;
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; output: string }>((done) =>
    server.once("close", (code) => done({ code, output: output.trim() })),
  );
  return { server, ended };
}
const start = (self: string, primary: string) => begin(self, primary).ended;

function fill(...files: string[]): void {
  mkdirSync(data);
  for (const name of files) writeFileSync(join(data, name), "18");
}

const STARTED = { code: 0, output: "starts postgres -c x=1" };

describe("the primary", () => {
  it("starts, with or without data, if the other server does not answer or follows it", async () => {
    expect(await start("postgres-1", "postgres-1")).toEqual(STARTED);
    fill("PG_VERSION");
    expect(await start("postgres-1", "postgres-1")).toEqual(STARTED);
    note("answer", "t");
    expect(await start("postgres-1", "postgres-1")).toEqual(STARTED);
  });

  it("does not start beside another primary", async () => {
    fill("PG_VERSION");
    note("answer", "f");
    const { code, output } = await start("postgres-1", "postgres-1");
    expect(code).toBe(1);
    expect(output).toContain("postgres-2 is a primary already");
  });

  it("does not start empty while the other has a copy", async () => {
    note("answer", "t");
    const { code, output } = await start("postgres-1", "postgres-1");
    expect(code).toBe(1);
    expect(output).toContain("Promote postgres-2");
  });
});

describe("the standby", () => {
  it("copies the primary, through a slot that it creates first, and waits for no standby of its own", async () => {
    note("answer", "");
    expect(await start("postgres-2", "postgres-1")).toEqual(STARTED);
    const [slot, copy] = calls().trim().split("\n");
    expect(slot).toMatch(
      /host=postgres-1 .*pg_create_physical_replication_slot\('postgres_2', true\)/,
    );
    expect(copy).toMatch(/host=postgres-1 .*--slot=postgres_2/);
    const settings = readFileSync(join(data, "postgresql.auto.conf"), "utf8");
    expect(settings).toBe("primary_slot_name = 'postgres_2'\n");
    expect(existsSync(`${data}.copy`)).toBe(false);
  });

  it("restarts an interrupted copy, and starts only with a complete one", async () => {
    note("answer", "");
    note("breaks");
    expect(await start("postgres-2", "postgres-1")).toEqual(STARTED);
    expect(calls().match(/^pg_basebackup/gm)).toHaveLength(2);
  });

  it("stops at once during a copy, and leaves nothing that a later start would mistake for a database", async () => {
    note("answer", "");
    note("hangs");
    const { server, ended } = begin("postgres-2", "postgres-1");
    await eventually(() => expect(existsSync(`${data}.copy/half`)).toBe(true));
    server.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(existsSync(data)).toBe(false);
  });

  it("follows with its existing data", async () => {
    fill("PG_VERSION", "standby.signal");
    expect(await start("postgres-2", "postgres-1")).toEqual(STARTED);
    expect(calls()).toBe("");
  });

  it("does not start if it was a primary", async () => {
    fill("PG_VERSION");
    const { code, output } = await start("postgres-1", "postgres-2");
    expect(code).toBe(1);
    expect(output).toContain("it was a primary, and PRIMARY is postgres-2");
  });

  it("does not start if PRIMARY names neither server", async () => {
    expect((await start("postgres-1", "postgres-3")).code).toBe(1);
  });
});
