import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { type EmbeddedOptions, type EmbeddedPostgres, openEmbeddedPostgres } from "~db/embedded";
import { isAlive } from "~db/embedded/processes";
import {
  bundleEmbeddedProgram,
  type EmbeddedProgram,
  type EmbeddedProgramOptions,
  NOT_DURABLE,
  startEmbeddedProgram,
} from "./embedded-program";
import { fastFolder } from "./fast-folder.mjs";

/** Shared set-up of tests of embedded databases; everything they start is stopped and removed after each test. */
export type EmbeddedScene = {
  emptyDirectory: () => Promise<string>;
  /** The data directory of a program that has run before and was shut down cleanly. */
  dataDirectory: () => Promise<string>;
  /** Opens it in this process. */
  serve: (dataDir: string, options?: Partial<EmbeddedOptions>) => Promise<EmbeddedPostgres>;
  /** Starts a separate process. */
  start: (options: EmbeddedProgramOptions) => EmbeddedProgram;
  connect: (url: string) => Database;
  cleanUpWith: (cleanUp: () => unknown) => void;
};

/** Registers the hooks that set up and tear down a test file's databases. */
export function setEmbeddedScene(): EmbeddedScene {
  const cleanUps: (() => unknown)[] = [];
  let program: string;
  let readyMade: string;

  beforeAll(async () => {
    program = await bundleEmbeddedProgram();
    readyMade = await mkdtemp(join(fastFolder(), "golden-path-data-"));
    const options = { dataDir: readyMade, purpose: "serve", settings: NOT_DURABLE } as const;
    await (await openEmbeddedPostgres(options)).stop();
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  afterAll(async () => {
    await rm(program, { force: true });
    await rm(readyMade, { recursive: true, force: true });
  });

  async function emptyDirectory(): Promise<string> {
    const dataDir = await mkdtemp(join(fastFolder(), "golden-path-data-"));
    cleanUps.push(async () => {
      const pid = await serverPid(dataDir);
      if (pid !== null && (await isAlive(pid))) process.kill(pid, "SIGQUIT");
      await rm(dataDir, { recursive: true, force: true });
    });
    return dataDir;
  }

  return {
    emptyDirectory,
    dataDirectory: async () => {
      const dataDir = await emptyDirectory();
      await promisify(execFile)("cp", ["-a", join(readyMade, "postgres"), dataDir]);
      return dataDir;
    },
    serve: async (dataDir, options = {}) => {
      const postgres = await openEmbeddedPostgres({ dataDir, purpose: "serve", ...options });
      cleanUps.push(() => postgres.stop());
      return postgres;
    },
    start: (options) => {
      const started = startEmbeddedProgram(program, options);
      cleanUps.push(() => started.kill());
      return started;
    },
    connect: (url) => {
      const database = openDatabase(url);
      cleanUps.push(() => database.close());
      return database;
    },
    cleanUpWith: (cleanUp) => cleanUps.push(cleanUp),
  };
}

/** Whether the data directory's server runs, according to its pid file. */
export async function isServerRunning(dataDir: string): Promise<boolean> {
  const pid = await serverPid(dataDir);
  return pid !== null && (await isAlive(pid));
}

/** Writes a row as the site does: resolves when the server has acknowledged it. */
export async function keepRow(url: string, row: string): Promise<void> {
  const { db, close } = openDatabase(url);
  await db.execute(sql`create table if not exists kept (row text)`);
  await db.execute(sql`insert into kept values (${row})`);
  await close();
}

export async function keptRows(url: string): Promise<unknown[]> {
  const { db, close } = openDatabase(url);
  const rows = await db.execute(sql`select row from kept order by row`);
  await close();
  return rows.map(({ row }) => row);
}

/** The message of an expected failure, which must be a single line. */
export async function sentence(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => {
      throw new Error("Expected a failure.");
    },
    (reason: Error) => reason,
  );
  expect(error.message).not.toContain("\n");
  return error.message;
}

async function serverPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => null);
  return text === null ? null : Number.parseInt(text, 10);
}
