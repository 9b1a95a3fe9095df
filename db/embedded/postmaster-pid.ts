import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerAddress } from "./address";

export type ServerStatus = {
  /** 0 while the file is still empty. */
  pid: number;
  /** Its Unix socket if it has one, otherwise loopback; null before it listens. */
  address: ServerAddress | null;
  phase: "starting" | "ready" | "stopping";
};

/**
 * A server's status from its `postmaster.pid`; null when there is no such file. A crash leaves the file
 * behind, so the process may no longer be running.
 * https://www.postgresql.org/docs/current/storage-file-layout.html
 */
export async function readServerStatus(clusterDir: string): Promise<ServerStatus | null> {
  try {
    return parseServerStatus(await readFile(join(clusterDir, "postmaster.pid"), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Parses the file, of which only the first few lines may have been written yet. */
export function parseServerStatus(text: string): ServerStatus {
  const lines = text.split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  const port = Number.parseInt(lines[3] ?? "", 10);
  const [socketFolder, listensOn] = lines.slice(4, 6);
  // The following line is written last, once the server listens on all its addresses.
  const isListening = lines.length > 6 && (socketFolder || listensOn);
  const phase = (lines[7] ?? "").trim();
  return {
    pid: Number.isNaN(pid) ? 0 : pid,
    address:
      Number.isNaN(port) || !isListening ? null : { host: socketFolder || "127.0.0.1", port },
    phase: phase === "ready" || phase === "stopping" ? phase : "starting",
  };
}
