import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareBinaries } from "~db/embedded/binaries";
import { type Cluster, ensureCluster } from "~db/embedded/cluster";
import { superuserUrl } from "~db/embedded/roles";
import { ensureServer, type RunningServer, stopServer } from "~db/embedded/server";
import { chooseSystemUser, ensureUserAccess } from "~db/embedded/system-user";
import { fastFolder } from "./fast-folder.mjs";
import { freePorts } from "./ports.mjs";

/** A PostgreSQL server on TCP that a test can stop, freeze and restart. */
export class OwnPostgres {
  readonly #killAtExit = () => this.#kill();

  private constructor(
    private readonly cluster: Cluster,
    private server: RunningServer,
    /** The address of an empty database on it, the same through all restarts. */
    readonly url: string,
  ) {
    // the server would outlive a runner that is killed
    process.once("exit", this.#killAtExit);
  }

  /** Starts it in its own folder, or in the given one. */
  static async create(inDirectory?: string, settings = {}): Promise<OwnPostgres> {
    const dataDir = inDirectory ?? (await mkdtemp(join(fastFolder(), "golden-path-own-server-")));
    await chmod(dataDir, 0o711);
    const directory = join(dataDir, "postgres");
    const user = await chooseSystemUser(directory, "postgres");
    await ensureUserAccess(dataDir, user);
    const cluster: Cluster = {
      dataDir,
      directory,
      logFile: join(dataDir, "postgres.log"),
      binaries: await prepareBinaries(dataDir, user),
      user,
      settings: { fsync: "off", ...settings },
    };
    await ensureCluster(cluster);
    const server = await ensureServer(cluster, { host: "127.0.0.1", port: await freePorts(1) });
    return new OwnPostgres(cluster, server, await superuserUrl(cluster, server, "postgres"));
  }

  /** Stops it with all its sessions; resolves once nothing listens there. */
  async stop(): Promise<void> {
    await stopServer(this.cluster, this.server);
  }

  /** Starts it again, at the same address. */
  async start(): Promise<void> {
    this.server = await ensureServer(this.cluster, this.server);
  }

  /** Freezes all its processes (SIGSTOP): connections stay open without a response. */
  freeze(): Promise<void> {
    return this.#signalAll("SIGSTOP");
  }

  /** Resumes a frozen server. */
  thaw(): Promise<void> {
    return this.#signalAll("SIGCONT");
  }

  get pid(): number {
    return this.server.pid;
  }

  async remove(): Promise<void> {
    await this.thaw();
    await this.stop();
    process.off("exit", this.#killAtExit);
    await rm(this.cluster.dataDir, { recursive: true, force: true });
  }

  async #signalAll(signal: NodeJS.Signals): Promise<void> {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
    const children = stdout
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid = 0, parent]) => (parent === this.server.pid ? [pid] : []));
    for (const pid of [this.server.pid, ...children]) send(pid, signal);
  }

  #kill(): void {
    send(this.server.pid, "SIGQUIT");
    send(this.server.pid, "SIGCONT");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has already ended
  }
}
