import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { addressOf } from "~db/embedded/attachment";
import { prepareBinaries } from "~db/embedded/binaries";
import { type Cluster, ensureCluster } from "~db/embedded/cluster";
import { ensureServer, stopServer } from "~db/embedded/server";
import { chooseSystemUser, requireWayTo } from "~db/embedded/system-user";
import { fastFolder } from "./fast-folder";

/** A PostgreSQL server that a test stops, freezes and starts again, as an operator's may do under the site. */
export class OwnPostgres {
  #pid = 0;
  readonly #killAtExit = () => this.#kill();

  private constructor(
    private readonly cluster: Cluster,
    private readonly port: number,
    /** The address of an empty database on it, the same through all restarts. */
    readonly url: string,
  ) {
    // the server would outlive a runner that ends in the middle
    process.once("exit", this.#killAtExit);
  }

  static async create(): Promise<OwnPostgres> {
    const dataDir = await mkdtemp(join(fastFolder(), "golden-path-own-server-"));
    await chmod(dataDir, 0o711);
    const directory = join(dataDir, "postgres");
    const user = await chooseSystemUser(directory, "postgres");
    await requireWayTo(dataDir, user);
    const cluster: Cluster = {
      dataDir,
      directory,
      logFile: join(dataDir, "postgres.log"),
      binaries: await prepareBinaries(dataDir, user),
      user,
      settings: { fsync: "off" },
    };
    await ensureCluster(cluster);
    const server = await ensureServer(cluster, null);
    const url = await addressOf(cluster, server, "postgres");
    const postgres = new OwnPostgres(cluster, server.port, url);
    postgres.#pid = server.pid;
    return postgres;
  }

  /** Ends all its sessions, and resolves when nothing listens there any more. */
  async stop(): Promise<void> {
    await stopServer(this.cluster, this.#pid);
  }

  /** Starts it again, at the same address. */
  async start(): Promise<void> {
    this.#pid = (await ensureServer(this.cluster, this.port)).pid;
  }

  /** Stops every process of it in its tracks: connections stay, and nothing answers. */
  freeze(): Promise<void> {
    return this.#signalAll("SIGSTOP");
  }

  /** Lets a frozen server go on as if nothing had been. */
  thaw(): Promise<void> {
    return this.#signalAll("SIGCONT");
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
      .flatMap(([pid = 0, parent]) => (parent === this.#pid ? [pid] : []));
    for (const pid of [this.#pid, ...children]) send(pid, signal);
  }

  #kill(): void {
    send(this.#pid, "SIGQUIT");
    send(this.#pid, "SIGCONT");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it is gone already
  }
}
