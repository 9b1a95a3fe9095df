import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

const PROJECT = resolve(import.meta.dirname, "../..");

export type EmbeddedProgramOptions = {
  dataDir: string;
  purpose: "serve" | "command";
  systemUser?: string;
  settings?: Record<string, string>;
};

/** For tests that are not about durability: much faster on slow disks. */
export const NOT_DURABLE = { fsync: "off" };

export type Opened = { url: string; pid: number; host: string; port: number };

/** A separate process that uses an embedded PostgreSQL, and can be killed like a real program. */
export type EmbeddedProgram = {
  /** The server it opened; rejects with its error message if it ended instead. */
  opened: Promise<Opened>;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
};

/** Bundles `embedded-program-main.ts` into one file that node runs anywhere. */
export async function bundleEmbeddedProgram(
  file = join(PROJECT, ".cache", "tests", `embedded-program-${process.pid}.mjs`),
): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await build({
    entryPoints: [join(PROJECT, "tests/support/embedded-program-main.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return file;
}

/** Starts the bundled program, optionally as another user and with other variables. */
export function startEmbeddedProgram(
  file: string,
  options: EmbeddedProgramOptions,
  as: { uid?: number; gid?: number; env?: Record<string, string> } = {},
): EmbeddedProgram {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
    ...as,
    env: { ...process.env, ...as.env },
  });
  // a killed program cannot be asked to stop
  child.stdin.on("error", () => {});
  return {
    opened: readOpened(child),
    stop: async () => {
      child.stdin.end();
      await ended(child);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended(child);
    },
  };
}

async function readOpened(child: ChildProcess): Promise<Opened> {
  if (!child.stdout || !child.stderr) throw new Error("The program has no output.");
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Opened;
  await ended(child);
  throw new Error(complaint.trim());
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
