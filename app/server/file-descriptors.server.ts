import { readFileSync } from "node:fs";

/** File descriptors reserved for everything but visitors' connections: files, database, mail, payments. */
const RESERVED = 256;

/** The fewest connections a usable site needs. */
const MINIMUM = 64;

/**
 * How many of the `wanted` connections this process may open; each takes a file descriptor. Only Linux
 * reports the limit; elsewhere all of them are assumed to be available.
 */
export function availableConnections(wanted: number, limits = readLimits()): number {
  const [, openFiles] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (openFiles === undefined) return wanted;
  return Math.min(wanted, Math.max(MINIMUM, Number(openFiles) - RESERVED));
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
