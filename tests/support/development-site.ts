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

/** What `npm run dev` needs of the project, beside its packages. */
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

/** Longest wait for something to be printed, in milliseconds. */
const PRINT_LIMIT = 60_000;

/** `npm run dev`, as in its own terminal, on a copy of the project's sources that a test may edit. */
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

  /** Starts it with further files in the copy, and waits until the site is ready. */
  static async start(files: Record<string, string>): Promise<DevelopmentSite> {
    const site = new DevelopmentSite(`http://localhost:${await freePorts(2)}`, files);
    await site.prints(/Ready/);
    return site;
  }

  /** Waits for output after what was awaited before; rejects if the program ends first. */
  prints(text: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`${text} was not printed, but:\n${this.#output}`));
      const timer = setTimeout(giveUp, PRINT_LIMIT);
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

  /** Writes a file of the copy. */
  write(file: string, text: string): void {
    mkdirSync(dirname(this.#pathOf(file)), { recursive: true });
    writeFileSync(this.#pathOf(file), text);
  }

  /** Replaces a text in a file of the copy, which must hold it. */
  replace(file: string, from: string, to: string): void {
    const text = readFileSync(this.#pathOf(file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} holds no '${from}'.`);
    this.write(file, text.replace(from, to));
  }

  /** The files of a folder of the copy and of those in it; null if there is no such folder. */
  filesIn(folder: string): string[] | null {
    const path = this.#pathOf(folder);
    return existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : null;
  }

  /** The command lines of the processes that work in the copy; only Linux can be asked. */
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

  /** Presses Ctrl-C, unless it has ended already, and waits for the end of all that printed to the terminal. */
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
