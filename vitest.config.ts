import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { EFFECT_TIMEOUT } from "./tests/support/effect-timeout.mjs";
import { fastFolder } from "./tests/support/fast-folder.mjs";

export const resolve = {
  alias: {
    "~db": fileURLToPath(new URL("./db", import.meta.url)),
    "~": fileURLToPath(new URL("./app", import.meta.url)),
  },
};

/** A bound for tests that hang. No test waits this long, however busy its machine is. */
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: EFFECT_TIMEOUT } };

/** What tests need that run in the test runner's own process, against PostgreSQL. */
export const integration = {
  ...timeouts,
  globalSetup: [fileURLToPath(new URL("./tests/support/postgres.ts", import.meta.url))],
  // what the budget of calls does is tested by itself; the property test alone makes hundreds a second
  env: { STRIPE_CALLS_PER_SECOND: "100000" },
};

/** What tests need that start the product in processes of its own, or a browser. */
const endToEnd = { ...timeouts, globalSetup: ["tests/support/postgres.ts"] };

export default defineConfig({
  resolve,
  test: {
    projects: [
      {
        resolve,
        test: {
          ...timeouts,
          name: "unit",
          include: ["{app,db}/**/*.test.{ts,tsx}"],
          // loading the product anew for each file took two thirds of the time
          isolate: false,
        },
      },
      {
        resolve,
        test: {
          ...integration,
          name: "integration",
          include: ["tests/integration/**/*.test.{ts,tsx}"],
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
          include: ["tests/full/integration/**/*.test.{ts,tsx}"],
          maxWorkers: 3,
        },
      },
      {
        resolve,
        test: {
          ...endToEnd,
          name: "e2e",
          include: ["tests/{,full/}e2e/**/*.test.ts"],
          // browsers' profiles, the programs' data, a fresh installation
          env: { TMPDIR: fastFolder() },
          isolate: false,
          // they wait for browsers, timers and each other's servers for some of their time
          maxWorkers: 3,
        },
      },
      {
        resolve,
        test: { ...endToEnd, name: "webkit", include: ["tests/webkit/**/*.test.ts"] },
      },
      {
        resolve,
        test: {
          ...endToEnd,
          name: "load",
          include: ["tests/load/**/*.test.ts"],
          // what measures time has the machine to itself
          maxWorkers: 1,
        },
      },
    ],
  },
});
