import type { Agent } from "node:http";
import { type Database, openDatabase } from "~db/client";
import { send, Visitor } from "./http-client";
import { createTestDatabase } from "./postgres";
import { type Program, startProgram, temporaryDirectory } from "./program";

/** The built program on its own database, for tests that use HTTP and need no browser. */
export type ProgramSite = {
  program: Program;
  origin: string;
  dataDir: string;
  databaseUrl: string;
  /** The program's own database, for tests to inspect and break. */
  database: Database;
  /** A new browser without cookies. */
  visitor(): Visitor;
  /** Returns a value from `/metrics`; 0 if nothing was counted yet. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
  close(): Promise<void>;
};

export const METRICS_TOKEN = "a token for the tests' metrics";

/** Starts the program on a migrated database without rows, optionally with further variables. */
export async function startProgramSite(
  variables: Record<string, string> = {},
): Promise<ProgramSite> {
  const data = temporaryDirectory();
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url);
  const program = await startProgram({
    variables: { DATABASE_URL: testDatabase.url, DATA_DIR: data.path, METRICS_TOKEN, ...variables },
  });
  return {
    program,
    origin: program.origin,
    dataDir: data.path,
    databaseUrl: testDatabase.url,
    database,
    visitor: () => new Visitor(program.origin),
    metric: (name, labels) => readMetric(program.origin, name, labels),
    close: async () => {
      await program.stop();
      await database.close();
      await testDatabase.drop();
      data.remove();
    },
  };
}

/** Returns a value from a program's `/metrics`; 0 if nothing was counted yet. */
export async function readMetric(
  origin: string,
  name: string,
  labels: Record<string, string> = {},
  agent?: Agent,
): Promise<number> {
  const { status, text } = await send(`${origin}/metrics`, {
    agent,
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  if (status !== 200) throw new Error(`/metrics responded with ${status}.`);
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((pair) => line.includes(pair)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
