import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "./child-environment.mjs";
import { send } from "./http-client";
import { freePorts } from "./ports.mjs";
import { untilReady } from "./ready.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");
const BUILD = join(PROJECT, "build/index.js");

/** Timeout for a command to end, in milliseconds. */
const RUN_LIMIT_MS = 60_000;

/** A started program: its address, its output and its pid. */
export type Program = {
  origin: string;
  sandboxOrigin: string;
  pid: number;
  output(): string;
  /** Sends a signal and waits for the end; returns the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
};

export type ProgramOptions = {
  /** A command with its parameters; `serve` if none is given. */
  command?: string | string[];
  /** Variables beside PATH; a program without DATABASE_URL runs its embedded database. */
  variables?: Record<string, string>;
  /** A network namespace to run in, and an agent that reaches its loopback from here. */
  within?: { enter: string[]; agent: Agent };
};

/** Runs the built program to its end; returns its exit code and output. */
export async function runProgram({
  command = "serve",
  variables = {},
  killed,
}: ProgramOptions & {
  /** Kills it when aborted. */
  killed?: AbortSignal;
}): Promise<{
  code: number | null;
  stdout: string;
  stderr: string;
}> {
  const child = start(command, variables);
  const timer = setTimeout(() => child.kill("SIGKILL"), RUN_LIMIT_MS);
  killed?.addEventListener("abort", () => child.kill("SIGKILL"));
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((done) => child.once("close", done));
  clearTimeout(timer);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Starts the built program and waits until `/readyz` answers 200. */
export async function startProgram({
  command = "serve",
  variables = {},
  within,
}: ProgramOptions = {}): Promise<Program> {
  const port = variables.PORT ? Number(variables.PORT) : await freePorts(2);
  const child = start(command, { PORT: String(port), ...variables }, within?.enter);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const output = () => stdout() + stderr();
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.once("exit", (code, signal) => done(signal ?? code)),
  );
  const origin = `http://localhost:${port}`;
  await untilReady(origin, {
    child,
    output,
    ask: async (url) => (await send(url, { agent: within?.agent })).status,
  });
  return {
    origin,
    sandboxOrigin: `http://localhost:${port + 1}`,
    pid: child.pid as number,
    output,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** A new directory for a program's data, accessible to every user, since a database server may run as another. */
export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "golden-path-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function start(
  command: string | string[],
  variables: Record<string, string>,
  enter: string[] = [],
): ChildProcess {
  const node = [process.execPath, ...NODE_FLAGS, BUILD, ...[command].flat()];
  const [file = "", ...parameters] = [...enter, ...node];
  return spawn(file, parameters, {
    cwd: PROJECT,
    // all tests share one client address
    env: childEnvironment({ RATE_LIMIT_FACTOR: "1000", ...variables }),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
