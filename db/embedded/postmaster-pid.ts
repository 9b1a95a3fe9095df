import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type ServerStatus = {
  /** 0 while the file's writer has not got that far. */
  pid: number;
  port: number | null;
  phase: "starting" | "ready" | "stopping";
};

/**
 * What a running server says of itself in `postmaster.pid`; null when there is no such file. A crash
 * leaves the file behind, so whether the process lives is another question.
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

/** Reads the file's lines, of which its writer may have written only the first few yet. */
export function parseServerStatus(text: string): ServerStatus {
  const lines = text.split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  const port = Number.parseInt(lines[3] ?? "", 10);
  const phase = (lines[7] ?? "").trim();
  return {
    pid: Number.isNaN(pid) ? 0 : pid,
    port: Number.isNaN(port) ? null : port,
    phase: phase === "ready" || phase === "stopping" ? phase : "starting",
  };
}
