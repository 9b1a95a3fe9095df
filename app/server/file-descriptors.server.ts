import { readFileSync } from "node:fs";

/** What everything but visitors' connections needs: files, the database, mail, payments. */
const RESERVED = 256;

/** Fewer than this would be no site. */
const LEAST = 64;

/**
 * How many of so many connections the system lets this process have; each takes a file descriptor. Only
 * Linux says how many there are; elsewhere all of them are expected to be had.
 */
export function connectionsPossible(wanted: number, limits = readLimits()): number {
  const [, openFiles] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (openFiles === undefined) return wanted;
  return Math.min(wanted, Math.max(LEAST, Number(openFiles) - RESERVED));
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
