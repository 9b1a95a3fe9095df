import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = {
  "~db": fileURLToPath(new URL("./db", import.meta.url)),
  "~": fileURLToPath(new URL("./app", import.meta.url)),
};

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          include: ["app/**/*.test.{ts,tsx}", "db/**/*.test.ts"],
        },
      },
      {
        resolve: { alias },
        test: {
          name: "integration",
          sequence: { groupOrder: 1 },
          include: ["tests/integration/**/*.test.{ts,tsx}"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // what the budget of calls does is tested by itself; the property test alone makes hundreds a second
          env: { STRIPE_CALLS_PER_SECOND: "100000" },
          // they mostly wait: for the database, and for each other's servers
          maxWorkers: 2,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "e2e",
          sequence: { groupOrder: 2 },
          include: ["tests/e2e/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "webkit",
          include: ["tests/webkit/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "load",
          // what is bounded in time has the machine to itself
          sequence: { groupOrder: 3 },
          include: ["tests/load/**/*.test.ts"],
          globalSetup: ["tests/support/postgres.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
