import { execFile } from "node:child_process";
import { readFile, readlink, realpath } from "node:fs/promises";
import { promisify } from "node:util";

/** True while a process runs under this id, whoever owns it. A zombie does not run. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  try {
    const state = await readFile(`/proc/${pid}/stat`, "latin1");
    return state.slice(state.lastIndexOf(")") + 2, state.lastIndexOf(")") + 3) !== "Z";
  } catch {
    // No /proc (macOS, Windows), or the process ended this moment and the next look will tell.
    return true;
  }
}

/**
 * What a live process id is: a PostgreSQL of this data directory, something else (the id was given
 * to another process since), or unknown where the system does not tell.
 */
export async function identify(
  pid: number,
  clusterDir: string,
): Promise<"ours" | "other" | "unknown"> {
  if (process.platform === "win32") return "unknown";
  const directory = await realpath(clusterDir).catch(() => clusterDir);
  try {
    // A server's working directory is its data directory.
    return (await readlink(`/proc/${pid}/cwd`)) === directory ? "ours" : "other";
  } catch {
    const command = await commandLine(pid);
    if (command === null) return "unknown";
    if (!/postgres/.test(command)) return "other";
    return command.includes(clusterDir) || command.includes(directory) ? "ours" : "unknown";
  }
}

async function commandLine(pid: number): Promise<string | null> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  } catch {
    const arguments_ = ["-ww", "-o", "command=", "-p", String(pid)];
    const answer = await promisify(execFile)("ps", arguments_).catch(() => null);
    return answer?.stdout ?? null;
  }
}
