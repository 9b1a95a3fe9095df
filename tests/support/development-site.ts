import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { npmCommand } from "../../app/tooling/npm.mjs";
import { freePorts } from "./ports.mjs";
import { temporaryDirectory } from "./program";

const PROJECT = resolve(import.meta.dirname, "../..");

/** The project's files that `npm run dev` needs, apart from its packages. */
const SOURCES = [
  "app",
  "db",
  "package.json",
  "package-lock.json",
  "postcss.config.mjs",
  "public",
  "remix.config.js",
  "tsconfig.json",
];

/** Timeout for expected output, in milliseconds. */
const PRINT_TIMEOUT_MS = 60_000;

/** `npm run dev` in its own process group, as in a terminal, on a copy of the sources that a test may edit. */
export class DevelopmentSite {
  readonly #folder = temporaryDirectory();
  readonly #npm: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";
  #onOutput = () => {};

  private constructor(
    readonly origin: string,
    files: Record<string, string>,
  ) {
    // root's embedded PostgreSQL belongs to another user
    chmodSync(this.#folder.path, 0o755);
    const built = join(PROJECT, "public/build");
    for (const source of SOURCES) {
      cpSync(join(PROJECT, source), this.#pathOf(source), {
        recursive: true,
        filter: (path) => path !== built,
      });
    }
    symlinkSync(join(PROJECT, "node_modules"), this.#pathOf("node_modules"));
    for (const [file, text] of Object.entries(files)) this.write(file, text);

    const [command, ...parameters] = npmCommand();
    this.#npm = spawn(command, [...parameters, "run", "dev"], {
      cwd: this.#folder.path,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        LOG_LEVEL: "warn",
        PORT: new URL(origin).port,
      } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
      // its own process group, all of which a terminal's Ctrl-C reaches
      detached: true,
    });
    this.#ended = new Promise((done) => this.#npm.once("close", done));
    for (const stream of [this.#npm.stdout, this.#npm.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
  }

  /** Starts it with additional files in the copy, and waits until the site is ready. */
  static async start(files: Record<string, string>): Promise<DevelopmentSite> {
    const site = new DevelopmentSite(`http://localhost:${await freePorts(2)}`, files);
    await site.prints(/Ctrl-C stops everything/);
    return site;
  }

  /** Waits for output after the last output awaited; rejects if the program ends first. */
  prints(text: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`${text} was not printed, but:\n${this.#output}`));
      const timer = setTimeout(giveUp, PRINT_TIMEOUT_MS);
      void this.#ended.then(giveUp);
      this.#onOutput = () => {
        const found = text.exec(this.#output);
        if (!found) return;
        this.#output = this.#output.slice(found.index + found[0].length);
        this.#onOutput = () => {};
        clearTimeout(timer);
        resolve();
      };
      this.#onOutput();
    });
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(this.#pathOf(file)), { recursive: true });
    writeFileSync(this.#pathOf(file), text);
  }

  /** Replaces a text in a file of the copy, which must contain it. */
  replace(file: string, from: string, to: string): void {
    const text = readFileSync(this.#pathOf(file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} does not contain '${from}'.`);
    this.write(file, text.replace(from, to));
  }

  /** The files of a folder of the copy, recursively; null if there is no such folder. */
  filesIn(folder: string): string[] | null {
    const path = this.#pathOf(folder);
    return existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : null;
  }

  /** The command lines of the processes that run in the copy; Linux only. */
  processes(): string[] {
    return readdirSync("/proc").flatMap((pid) => {
      try {
        if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(this.#folder.path)) return [];
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        // the process has ended meanwhile
        return [];
      }
    });
  }

  /** Sends Ctrl-C, unless it has already ended, and waits until every process that prints to it has ended. */
  async interrupt(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#npm;
    if (pid && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT");
    await this.#ended;
  }

  remove(): void {
    this.#folder.remove();
  }

  #pathOf(file: string): string {
    return join(this.#folder.path, file);
  }
}
