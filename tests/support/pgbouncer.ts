import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { asUser, chooseSystemUser } from "~db/embedded/system-user";
import { eventually } from "./eventually";
import { fastFolder } from "./fast-folder.mjs";
import { freePorts } from "./ports.mjs";
import { PASSWORD, ROLE } from "./replicated-postgres";
import { serverProgram } from "./server-programs.mjs";

const CONFIGURATION = resolve(import.meta.dirname, "../../docs/deploy/pgbouncer.ini");

/** PgBouncer with docs/deploy/pgbouncer.ini, unchanged except for addresses and a test's own settings. */
export type Pooler = {
  /** `host:port`, as in a database's address. */
  host: string;
  output(): string;
  /** Kills it, as `kill -9` does. */
  kill(): Promise<void>;
  /** Starts it again, as its supervisor does. */
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** Starts one in front of a port, optionally with further settings. */
export async function startPooler(
  serverPort: number,
  settings: Record<string, string> = {},
): Promise<Pooler> {
  const home = mkdtempSync(join(fastFolder(), "golden-path-pgbouncer-"));
  chmodSync(home, 0o755);
  // it does not run as root
  const user = await chooseSystemUser(join(home, "none"), "postgres");
  const port = await freePorts(1);
  mkdirSync(join(home, "files"));
  const users = join(home, "files/userlist.txt");
  writeFileSync(users, `"${ROLE}" "${PASSWORD}"\n`);
  let text = readFileSync(CONFIGURATION, "utf8");
  for (const [pattern, replacement] of [
    [/port=5432/, `port=${serverPort}`],
    [/listen_addr = 0\.0\.0\.0/, "listen_addr = 127.0.0.1"],
    [/listen_port = 6432/, `listen_port = ${port}`],
    [/\/etc\/pgbouncer\/userlist\.txt/, users],
    ...Object.entries(settings).map(([name, value]): [RegExp, string] => [
      new RegExp(`^${name} = .*$`, "m"),
      `${name} = ${value}`,
    ]),
  ] as [RegExp, string][]) {
    if (!pattern.test(text)) throw new Error(`pgbouncer.ini has nothing that matches ${pattern}.`);
    text = text.replace(pattern, replacement);
  }
  const file = join(home, "files/pgbouncer.ini");
  writeFileSync(file, text);

  let child: ChildProcess | null = null;
  let output = "";
  const killAtExit = () => child?.kill("SIGKILL");
  process.once("exit", killAtExit);
  const start = async () => {
    const started = spawn(serverProgram("pgbouncer") ?? "pgbouncer", [file], {
      cwd: "/",
      ...asUser(user),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    await eventually(() => {
      if (started.exitCode !== null) throw new Error(`PgBouncer ended: ${output}`);
      return listens(port);
    });
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((done) => running.once("exit", done));
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    host: `127.0.0.1:${port}`,
    output: () => output,
    kill,
    start,
    remove: async () => {
      await kill();
      process.off("exit", killAtExit);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done();
    });
    socket.once("error", fail);
  });
}
