import { execFile } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { promisify } from "node:util";

/** True while a process with this id runs, under any user; false for a zombie. */
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
    // No /proc (macOS, Windows), or the process has just ended, which the next check will show.
    return true;
  }
}

/**
 * Identifies a running process: the PostgreSQL of this data directory, something else (the id has been
 * reused), or unknown where the system does not provide the information.
 */
export async function identify(
  pid: number,
  clusterDir: string,
): Promise<"ours" | "other" | "unknown"> {
  if (process.platform === "win32") return "unknown";
  try {
    // A server's working directory is its data directory. The link's text may have a prefix in a chroot or container.
    const [its, ours] = [await stat(`/proc/${pid}/cwd`), await stat(clusterDir)];
    return its.dev === ours.dev && its.ino === ours.ino ? "ours" : "other";
  } catch {
    const directory = await realpath(clusterDir).catch(() => clusterDir);
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
    const output = await promisify(execFile)("ps", arguments_).catch(() => null);
    return output?.stdout ?? null;
  }
}
