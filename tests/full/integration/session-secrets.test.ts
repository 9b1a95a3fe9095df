import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../support/program";
import { openTestSite, type TestSite } from "../../support/site";

let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => {
  folder.remove();
  vi.restoreAllMocks();
});

/** Returns the secrets of a new process, since each reads them once. */
async function secretsOf(dataDir: string): Promise<string[]> {
  vi.resetModules();
  const { setEnvironment } = await import("~/env.server");
  setEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const { sessionSecrets } = await import("~/http/session-secrets.server");
  return sessionSecrets();
}

it("a secret generated at the first start is kept", async () => {
  const [secret, ...more] = await secretsOf(folder.path);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(more).toEqual([]);
  expect(await secretsOf(folder.path)).toEqual([secret]);
});

it("a truncated secret is refused, with advice", async () => {
  const file = join(folder.path, "session-secret");
  writeFileSync(file, "half of a secret\n", { mode: 0o600 });
  await expect(secretsOf(folder.path)).rejects.toThrow(
    `The session secret in ${file} is shorter than 32 characters: put back the one that was there, or delete the file,`,
  );
});

const [FIRST, SECOND] = ["one secret of the tests", "another one of the tests"].map((text) =>
  text.padEnd(40, "x"),
);

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());

/** Starts an instance with these secrets; returns its warnings. */
async function warningsOf(secrets: string): Promise<string[]> {
  // each process reads the secrets once
  vi.resetModules();
  const { setEnvironment: set } = await import("~/env.server");
  set({ SESSION_SECRET: secrets, LOG_LEVEL: "silent" });
  const { setDatabase, openDatabase } = await import("~db/client");
  const database = openDatabase(site.databaseUrl);
  setDatabase(database);
  const { log } = await import("~/observability/log.server");
  const warn = vi.spyOn(log(), "warn").mockImplementation(() => {});
  const { checkSessionSecret } = await import("~/http/session-secret-check.server");
  await checkSessionSecret();
  await database.close();
  return warn.mock.calls.map(([message]) => String(message));
}

it("an instance warns if its secret differs from the last one, but not if the old one is still listed", async () => {
  expect(await warningsOf(`${FIRST}`)).toEqual([]);
  expect(await warningsOf(`${FIRST}`)).toEqual([]);
  // replaced, with the old one listed second
  expect(await warningsOf(`${SECOND},${FIRST}`)).toEqual([]);
  // an instance with only the old one
  const [warning, ...more] = await warningsOf(`${FIRST}`);
  expect(warning).toMatch(/^SESSION_SECRET is not that of this database's last start/);
  expect(more).toEqual([]);
});
