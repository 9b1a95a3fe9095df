import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Vite } from "vitest/node";
import { integration, resolve } from "../../vitest.config";
import { FailedHooks } from "./failed-hooks";

/** Stryker requires threads, in which a test can set neither the time zone nor the working directory. */
const forks: Vite.Plugin = {
  name: "golden-path-forks",
  configureVitest({ project }) {
    project.config.pool = "forks";
  },
};

/** The tests that load the product into their own process, where Stryker can change it. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve,
  test: {
    reporters: [new FailedHooks()],
    projects: [
      {
        resolve,
        plugins: [forks],
        test: { name: "unit", include: ["app/**/*.test.{ts,tsx}", "db/**/*.test.ts"] },
      },
      {
        resolve,
        plugins: [forks],
        test: {
          ...integration,
          name: "integration",
          include: ["tests/integration/**/*.test.{ts,tsx}"],
        },
      },
    ],
  },
});
