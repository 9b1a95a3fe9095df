import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { openTestSite, type TestSite } from "../../support/site";

const [FIRST, SECOND] = ["one secret of the tests", "another one of the tests"].map((text) =>
  text.padEnd(40, "x"),
);

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Starts an instance with these secrets; returns what it warns of. */
async function warningsOf(secrets: string): Promise<string[]> {
  // the secrets are read once by each process
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

it("an instance with another secret than the last one warns; a replaced one that is still listed does not", async () => {
  expect(await warningsOf(`${FIRST}`)).toEqual([]);
  expect(await warningsOf(`${FIRST}`)).toEqual([]);
  // replaced, with the old one behind
  expect(await warningsOf(`${SECOND},${FIRST}`)).toEqual([]);
  // the instance that has only the old one
  const [warning, ...more] = await warningsOf(`${FIRST}`);
  expect(warning).toMatch(/^SESSION_SECRET is not that of this database's last start/);
  expect(more).toEqual([]);
});
