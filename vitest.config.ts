import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { MODULES } from "./tests/mutation/modules.mjs";
import { EFFECT_TIMEOUT } from "./tests/support/effect-timeout.mjs";
import { fastFolder } from "./tests/support/fast-folder.mjs";
import { LongestFirst } from "./tests/support/longest-first.mjs";

export const resolve = {
  alias: {
    "~db": fileURLToPath(new URL("./db", import.meta.url)),
    "~": fileURLToPath(new URL("./app", import.meta.url)),
  },
};

/** `expect.poll` waits longer than Vitest's own second. */
const patient = { poll: EFFECT_TIMEOUT };

/** What tests need that run in the test runner's own process, against PostgreSQL. */
export const integration = {
  globalSetup: [fileURLToPath(new URL("./tests/support/postgres.ts", import.meta.url))],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  expect: patient,
  // what the budget of calls does is tested by itself; the property test alone makes hundreds a second
  env: { STRIPE_CALLS_PER_SECOND: "100000" },
};

export default defineConfig({
  resolve,
  test: {
    coverage: { provider: "v8", include: Object.values(MODULES).flatMap(({ sources }) => sources) },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          include: ["app/**/*.test.{ts,tsx}", "db/**/*.test.ts"],
          // for the properties, on a busy machine
          testTimeout: 30_000,
          expect: patient,
          maxWorkers: "100%",
        },
      },
      {
        resolve,
        test: {
          ...integration,
          name: "integration",
          sequence: { groupOrder: 1 },
          include: ["tests/integration/**/*.test.ts"],
          // a process loads the program once, which takes longer than most files' tests
          isolate: false,
          // they mostly wait: for the database, and for each other's servers
          maxWorkers: 3,
        },
      },
      {
        resolve,
        test: {
          ...integration,
          name: "integration-full",
          sequence: { groupOrder: 1 },
          include: ["tests/full/integration/**/*.test.ts"],
          maxWorkers: 3,
        },
      },
      {
        resolve,
        test: {
          name: "e2e",
          sequence: { groupOrder: 2 },
          include: ["tests/e2e/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 90_000,
          expect: patient,
          hookTimeout: 120_000,
          // browsers' profiles, the programs' data, a fresh installation
          env: { TMPDIR: fastFolder() },
          // the product runs in processes of its own
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        resolve,
        test: {
          name: "webkit",
          include: ["tests/webkit/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 180_000,
          expect: patient,
          hookTimeout: 120_000,
        },
      },
      {
        resolve,
        test: {
          name: "load",
          // what is bounded in time has the machine to itself
          sequence: { groupOrder: 3 },
          include: ["tests/load/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 90_000,
          expect: patient,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
