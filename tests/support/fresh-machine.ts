import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { npmCommand } from "../../app/tooling/npm.mjs";
import { environment } from "./child-environment.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");

/** The files with which a site that was built elsewhere is installed and started. */
const FILES = [
  ".npmrc",
  "package.json",
  "package-lock.json",
  "app/tooling",
  "build/index.js",
  "build/sandbox.js",
  "db/migrations",
  "public",
];

/** For a suite that runs as root, an unprivileged user that every system has; null if it runs as one. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/** Environment variables that decide how npm reaches its registry. */
const NETWORK_VARIABLE =
  /^(npm_config_(registry|ca|cafile|cert|key|strict_ssl|proxy|https_proxy|noproxy|globalconfig)|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/** Lines of a user's .npmrc that would help to compile, or name folders that only that user may read. */
const FOREIGN_LINE = /^\s*(nodedir|python|cache|prefix|tmp|ignore-scripts)\s*=.*$/gm;

const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/;

const RETRIES = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"];

type Ended = { code: number | null; output: string };

/**
 * A folder with the built site and no packages, for an unprivileged user without a compiler: the PATH has
 * `node` and `sh` and nothing else.
 */
export class FreshMachine {
  readonly #folder = mkdtempSync(join(tmpdir(), "golden-path-fresh-"));
  readonly project = join(this.#folder, "project");
  readonly #home = join(this.#folder, "home");
  readonly #bin = join(this.#folder, "bin");
  readonly #npm = npmScript();

  constructor() {
    for (const file of FILES) {
      cpSync(join(PROJECT, file), join(this.project, file), { recursive: true });
    }
    for (const folder of [this.#home, this.#bin]) mkdirSync(folder);
    writeFileSync(join(this.#home, ".npmrc"), userSettings(), { mode: 0o600 });
    symlinkSync(process.execPath, join(this.#bin, "node"));
    symlinkSync("/bin/sh", join(this.#bin, "sh"));
    giveToOrdinaryUser(this.#folder);
  }

  /** False if Node.js or npm is in a folder that only root may read. */
  async canRunNpm(): Promise<boolean> {
    const ended = await end(this.run(["--version"])).catch(() => null);
    return ended?.code === 0;
  }

  /**
   * Installs the production packages of package-lock.json. Null if the registry cannot be reached and
   * npm's cache does not have them all.
   */
  async install(): Promise<Ended | null> {
    const parameters = ["ci", "--omit=dev", "--prefer-offline", ...RETRIES];
    const cache = usersCache();
    let ended = await end(this.run(parameters, NOBODY ? {} : { npm_config_cache: cache }));
    if (NOBODY && isUnreachable(ended) && existsSync(cache)) {
      // other users cannot read root's cache
      const copy = join(this.#home, ".npm");
      cpSync(cache, copy, { recursive: true });
      giveToOrdinaryUser(copy);
      ended = await end(this.run([...parameters, "--offline"]));
    }
    return isUnreachable(ended) ? null : ended;
  }

  /** Starts npm with additional environment variables. */
  run(parameters: string[], variables: Record<string, string> = {}): ChildProcess {
    const network = Object.entries(process.env).filter(([name]) => NETWORK_VARIABLE.test(name));
    return spawn(process.execPath, [this.#npm, ...parameters], {
      cwd: this.project,
      ...NOBODY,
      env: environment({
        ...Object.fromEntries(network),
        PATH: this.#bin,
        HOME: this.#home,
        ...variables,
      }),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function isUnreachable({ code, output }: Ended): boolean {
  return code !== 0 && UNREACHABLE.test(output);
}

/** Waits for the end of a process; rejects if it could not be started. */
export async function end(child: ChildProcess): Promise<Ended> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("close", done);
  });
  return { code, output };
}

/** npm's own script, to run it without a PATH. */
function npmScript(): string {
  const [command, script] = npmCommand();
  if (script) return script;
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const folder of folders) {
    try {
      return realpathSync(join(folder, command));
    } catch {}
  }
  throw new Error("There is no npm on the PATH.");
}

/** The user's .npmrc, which may name a registry and its settings. */
function userSettings(): string {
  const file = process.env.npm_config_userconfig ?? join(homedir(), ".npmrc");
  try {
    return readFileSync(file, "utf8").replace(FOREIGN_LINE, "");
  } catch {
    return "";
  }
}

function usersCache(): string {
  return execFileSync(process.execPath, [npmScript(), "config", "get", "cache"], {
    cwd: PROJECT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function giveToOrdinaryUser(folder: string): void {
  if (!NOBODY) return;
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))]) {
    lchownSync(path, NOBODY.uid, NOBODY.gid);
  }
}
