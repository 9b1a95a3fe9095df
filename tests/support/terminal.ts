import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "./child-environment.mjs";
import { send } from "./http-client";
import { freePorts } from "./ports.mjs";
import { untilReady } from "./ready.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");

/** Whether util-linux's `script` is installed, which provides a terminal. */
export const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux");

/** Timeout for a command in a terminal, in milliseconds. */
const LIMIT_MS = 60_000;

/** Text to type once the screen shows `after`. */
type Typed = { after: string; text: string };

function openTerminal(command: string[], variables: Record<string, string>) {
  const words = [process.execPath, ...NODE_FLAGS, join(PROJECT, "build/index.js"), ...command];
  // replaces the shell, which Ctrl-C would also reach
  const line = `exec ${words.map((word) => `'${word}'`).join(" ")}`;
  return spawn("script", ["--quiet", "--return", "--flush", "--command", line, "/dev/null"], {
    cwd: PROJECT,
    env: childEnvironment({ TERM: "xterm", COLUMNS: "120", ...variables }),
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Starts the built program in a terminal, which can be closed as its window would be. */
export async function startInTerminal(variables: Record<string, string>): Promise<{
  origin: string;
  closeTerminal(): void;
  isRunning(): boolean;
}> {
  const port = await freePorts(1);
  const origin = `http://localhost:${port}`;
  const child = openTerminal(["serve"], { PORT: String(port), ...variables });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
  });
  await untilReady(origin, {
    child,
    output: () => screen,
    ask: async (url) => (await send(url)).status,
  });
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return {
    origin,
    closeTerminal: () => void child.kill("SIGKILL"),
    isRunning: () => existsSync(`/proc/${children.trim()}`),
  };
}

/**
 * Runs the built program in a terminal with typed input; returns its exit code and everything the terminal showed,
 * without control sequences.
 */
export async function runInTerminal({
  command,
  variables,
  typed,
}: {
  command: string[];
  variables: Record<string, string>;
  typed: Typed[];
}): Promise<{ code: number | null; screen: string }> {
  const child = openTerminal(command, variables);
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const waiting = [...typed];
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
    while (waiting[0] && screen.includes(waiting[0].after))
      child.stdin.write(waiting.shift()?.text ?? "");
  });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  clearTimeout(timer);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
  return { code, screen: screen.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|[78])/g, "") };
}
