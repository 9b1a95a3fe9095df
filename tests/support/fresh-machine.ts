import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import { npmCommand } from "../../app/tooling/npm.mjs";
import { environment } from "./child-environment.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");

/** The files needed to install and start a site that was built elsewhere. */
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

type Ended = { code: number | null; output: string };

/**
 * A folder with the built site and its production packages, as after `npm ci --omit=dev` without install scripts. It is
 * for an unprivileged user without a compiler: the PATH has only `node` and `sh`.
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
    for (const path of productionPackages()) {
      cpSync(join(PROJECT, path), join(this.project, path), {
        recursive: true,
        filter: isUnpacked,
      });
    }
    for (const folder of [this.#home, this.#bin]) mkdirSync(folder);
    symlinkSync(process.execPath, join(this.#bin, "node"));
    symlinkSync("/bin/sh", join(this.#bin, "sh"));
    giveToOrdinaryUser(this.#folder);
  }

  /** False if Node.js or npm is in a folder that only root may read. */
  async canRunNpm(): Promise<boolean> {
    const ended = await end(this.run(["--version"])).catch(() => null);
    return ended?.code === 0;
  }

  /** Starts npm with additional environment variables. */
  run(parameters: string[], variables: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [this.#npm, ...parameters], {
      cwd: this.project,
      ...NOBODY,
      env: environment({ PATH: this.#bin, HOME: this.#home, ...variables }),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The paths of the installed packages that the site runs with, and of npm's list of them. */
function productionPackages(): string[] {
  const { packages }: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    readFileSync(join(PROJECT, "package-lock.json"), "utf8"),
  );
  const installed = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && !dev && existsSync(join(PROJECT, path)))
    .map(([path]) => path);
  return ["node_modules/.package-lock.json", ...installed];
}

/** Whether npm unpacks a file itself. Nested packages are listed separately, and our build adds the links. */
function isUnpacked(path: string): boolean {
  return basename(path) !== "node_modules" && !lstatSync(path).isSymbolicLink();
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

function giveToOrdinaryUser(folder: string): void {
  if (!NOBODY) return;
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))]) {
    lchownSync(path, NOBODY.uid, NOBODY.gid);
  }
}
