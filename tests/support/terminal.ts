import { spawn, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "./child-environment.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");

/** Whether a terminal can be had here, from util-linux's `script`. */
export const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux");

/** Timeout for a command in a terminal, in milliseconds. */
const LIMIT_MS = 60_000;

/** What is typed once the screen shows `after`. */
type Typed = { after: string; text: string };

/**
 * Runs the built program in a terminal, where somebody types; returns its exit code and all that the terminal
 * showed, without control sequences.
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
  const words = [process.execPath, ...NODE_FLAGS, join(PROJECT, "build/index.js"), ...command];
  // in place of the shell, which Ctrl-C would reach too
  const line = `exec ${words.map((word) => `'${word}'`).join(" ")}`;
  const child = spawn(
    "script",
    ["--quiet", "--return", "--flush", "--command", line, "/dev/null"],
    {
      cwd: PROJECT,
      env: childEnvironment({ TERM: "xterm", COLUMNS: "120", ...variables }),
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
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
