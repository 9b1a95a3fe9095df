import type { Level } from "~/features/checks/answer";
import { describeFindings } from "~/features/checks/describe-findings";
import { examineSite } from "~/features/checks/examine-site.server";
import { openDatabase } from "~/server/open-database.server";
import { NoDatabaseError } from "~db/embedded";
import { programVersion } from "~db/program-version";
import { print } from "./output.server";

type DoctorOptions = { json?: boolean };

/** How long handles left open by a check may keep the program running after the report, in milliseconds. */
const LINGER_MS = 500;

/**
 * The doctor must not take the last connections of a busy database, or wait long for a lock.
 */
const LIMITS = { max: 2, statementTimeout: 5_000 };

const COLORS: Record<Level, number> = { ok: 32, warning: 33, problem: 31 };

/** `doctor`: prints one page of findings, good and bad, and exits with 1 if something is broken. */
export async function doctor({ json }: DoctorOptions): Promise<void> {
  const startedAt = performance.now();
  const release = programVersion();
  const findings = await examineSite({ release, open });
  const ok = findings.every(({ level }) => level !== "problem");
  if (json) {
    print(JSON.stringify({ ok, release, checkedAt: new Date().toISOString(), findings }, null, 2));
  } else {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    for (const line of describeFindings(findings, paint())) print(line);
    print(`Checked in ${seconds} s. What each line means: docs/troubleshooting.md`);
  }
  if (!ok) process.exitCode = 1;
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Opens the database as every command does, without changing its schema and without creating one. */
async function open(): Promise<{ close: () => Promise<void> } | null> {
  try {
    return await openDatabase("command", undefined, { migrate: false, limits: LIMITS });
  } catch (error) {
    if (error instanceof NoDatabaseError) return null;
    throw error;
  }
}

function paint(): ((level: Level, text: string) => string) | undefined {
  const { stdout } = process;
  if (!stdout.isTTY || !stdout.hasColors()) return undefined;
  return (level, text) => `\x1b[${COLORS[level]}m${text}\x1b[0m`;
}
