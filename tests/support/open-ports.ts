import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

/** The open TCP and UDP sockets of a process and its children, as lines of /proc; Linux only. */
export async function networkSockets(pid: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const pids = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([child, parent]) => child === pid || parent === pid);
  const inodes = new Set<string>();
  for (const [process = 0] of pids) {
    for (const descriptor of await readdir(`/proc/${process}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${process}/fd/${descriptor}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode) inodes.add(inode);
    }
  }
  const found: string[] = [];
  for (const protocol of ["tcp", "tcp6", "udp", "udp6"]) {
    const table = await readFile(`/proc/${pid}/net/${protocol}`, "utf8").catch(() => "");
    for (const line of table.split("\n").slice(1)) {
      if (inodes.has(line.trim().split(/\s+/)[9] ?? "")) found.push(`${protocol} ${line.trim()}`);
    }
  }
  return found;
}
