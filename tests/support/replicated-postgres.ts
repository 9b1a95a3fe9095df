import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Binaries, prepareBinaries } from "~db/embedded/binaries";
import {
  asUser,
  chooseSystemUser,
  ensureUserAccess,
  type SystemUser,
} from "~db/embedded/system-user";
import { openConnection } from "~db/open-connection";
import { eventually } from "./eventually";
import { fastFolder } from "./fast-folder.mjs";
import { freePorts } from "./ports.mjs";

const run = promisify(execFile);

export const ROLE = "golden_path";
export const PASSWORD = "a password of the tests' own";

/** Lets in only the site's role, with its password, and the superuser and replication from this machine. */
const HBA = `
host all         ${ROLE}  127.0.0.1/32 scram-sha-256
host all         postgres 127.0.0.1/32 trust
host replication postgres 127.0.0.1/32 trust
`;

const ENVIRONMENT = {
  LC_ALL: "C",
  TZ: "UTC",
  PATH: process.env.PATH,
} as unknown as NodeJS.ProcessEnv;

/** A PostgreSQL server that a test can kill and promote. */
export class ReplicatedServer {
  #process: ChildProcess | null = null;
  readonly #killAtExit = () => this.#process?.kill("SIGQUIT");

  constructor(
    readonly name: string,
    readonly folder: string,
    readonly port: number,
    private readonly binaries: Binaries,
    readonly user: SystemUser,
  ) {
    process.once("exit", this.#killAtExit);
  }

  /** `host:port`, as in a database's address. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(settings: Record<string, string> = {}): Promise<void> {
    const parameters = Object.entries(settings).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const server = spawn(
      this.binaries.postgres,
      ["-D", this.folder, "-p", String(this.port), "-h", "127.0.0.1", "-k", "", ...parameters],
      { cwd: "/", env: ENVIRONMENT, ...asUser(this.user), stdio: "ignore" },
    );
    this.#process = server;
    await eventually(async () => {
      if (server.exitCode !== null) throw new Error(`${this.name} ended with ${server.exitCode}.`);
      await this.ask("select 1");
    });
  }

  /** Runs one statement as the superuser. */
  async ask(statement: string): Promise<Record<string, unknown>[]> {
    const connection = await openConnection({
      url: `postgres://postgres@${this.host}/postgres?target_session_attrs=any`,
      applicationName: "test",
    });
    try {
      return await connection.query(statement, [], {
        prepare: false,
        asArrays: false,
        timeout: 60_000,
      });
    } finally {
      await connection.end();
    }
  }

  /** Promotes the standby, as an operator or a failover tool does when the primary is lost. */
  async promote(): Promise<void> {
    await run(this.binaries.pgCtl, ["promote", "-D", this.folder, "-w"], {
      cwd: "/",
      env: ENVIRONMENT,
      ...asUser(this.user),
    });
  }

  /** Stops the server with all its sessions: at once, as `kill -9` does, or by a fast shutdown. */
  async stop(how: "SIGKILL" | "SIGINT" = "SIGINT"): Promise<void> {
    const server = this.#process;
    this.#process = null;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((done) => server.once("exit", done));
    if (how === "SIGKILL") {
      // as when a machine dies; otherwise the children would finish their work
      const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
      for (const line of stdout.split("\n")) {
        const [pid, parent] = line.trim().split(/\s+/).map(Number);
        if (pid && parent === server.pid) sendSignal(pid, "SIGKILL");
      }
    }
    server.kill(how);
    await ended;
  }

  /** Suspends all its processes (SIGSTOP), as if the machine lost power, or resumes them. */
  async freeze(signal: "SIGSTOP" | "SIGCONT" = "SIGSTOP"): Promise<void> {
    const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
    const lines = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
    for (const [pid = 0, parent] of lines) {
      if (pid === this.#process?.pid || parent === this.#process?.pid) sendSignal(pid, signal);
    }
  }

  forget(): void {
    process.off("exit", this.#killAtExit);
  }
}

/** A primary with its standby, which confirms every commit before it is acknowledged, and an empty database. */
export type ReplicatedPostgres = {
  primary: ReplicatedServer;
  standby: ReplicatedServer;
  /** Returns the database's address at these hosts, in this order. */
  url(hosts: string[], parameters?: Record<string, string>): string;
  /** Makes a killed server the standby of the other. */
  follow(server: ReplicatedServer, leader: ReplicatedServer): Promise<void>;
  remove(): Promise<void>;
};

const SETTINGS = { fsync: "off", max_connections: "120", wal_level: "replica", hot_standby: "on" };

/** Starts a primary and its standby. `synchronous_standby_names = '*'` on the primary waits for any standby. */
export async function startReplicatedPostgres({
  database = ROLE,
  synchronous = true,
} = {}): Promise<ReplicatedPostgres> {
  const home = await mkdtemp(join(fastFolder(), "golden-path-replicated-"));
  await chmod(home, 0o711);
  const user = await chooseSystemUser(join(home, "one"), "postgres");
  await ensureUserAccess(home, user);
  const binaries = await prepareBinaries(home, user);
  const port = await freePorts(2);
  const primary = new ReplicatedServer("one", join(home, "one"), port, binaries, user);
  const standby = new ReplicatedServer("two", join(home, "two"), port + 1, binaries, user);
  await mkdir(primary.folder, { mode: 0o700 });
  if (user) await chown(primary.folder, user.uid, user.gid);
  await run(
    binaries.initdb,
    [
      ...["--pgdata", primary.folder, "--no-sync", "--auth=trust", "--username=postgres"],
      ...["--encoding=UTF8", "--locale=C"],
    ],
    { cwd: "/", env: ENVIRONMENT, ...asUser(user) },
  );
  await writeFile(join(primary.folder, "pg_hba.conf"), HBA);
  await primary.start(SETTINGS);
  await primary.ask(`create role ${ROLE} login password '${PASSWORD.replaceAll("'", "''")}'`);
  await primary.ask(`create database ${database} owner ${ROLE}`);
  await primary.stop();

  const follow = async (server: ReplicatedServer, leader: ReplicatedServer) => {
    await writeFile(join(server.folder, "standby.signal"), "");
    if (user) await chown(join(server.folder, "standby.signal"), user.uid, user.gid);
    await server.start({
      ...SETTINGS,
      primary_conninfo: `host=127.0.0.1 port=${leader.port} user=postgres`,
      recovery_target_timeline: "latest",
      wal_retrieve_retry_interval: "200ms",
    });
    await eventually(async () => {
      const rows = await leader.ask("select 1 from pg_stat_replication where state = 'streaming'");
      if (rows.length === 0) throw new Error("The standby does not follow.");
    });
  };
  // a stopped server's folder is a backup
  await cp(primary.folder, standby.folder, { recursive: true });
  if (user) await run("chown", ["-R", `${user.uid}:${user.gid}`, standby.folder]);
  await chmod(standby.folder, 0o700);
  await primary.start(SETTINGS);
  await follow(standby, primary);
  if (synchronous) {
    // on the primary alone: a promoted standby must not wait for a standby of its own
    await primary.ask("alter system set synchronous_standby_names = '*'");
    await primary.ask("select pg_reload_conf()");
    await eventually(async () => {
      const rows = await primary.ask(
        "select 1 from pg_stat_replication where sync_state in ('sync', 'quorum')",
      );
      if (rows.length === 0) throw new Error("The standby is not synchronous.");
    });
  }
  return {
    primary,
    standby,
    url: (hosts, parameters = {}) =>
      `postgres://${ROLE}:${encodeURIComponent(PASSWORD)}@${hosts.join(",")}/${database}?${new URLSearchParams(parameters)}`,
    follow,
    remove: async () => {
      for (const server of [standby, primary]) {
        await server.freeze("SIGCONT");
        await server.stop("SIGKILL");
        server.forget();
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has already ended
  }
}
