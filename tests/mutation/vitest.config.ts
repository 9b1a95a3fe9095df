import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { integration, resolve } from "../../vitest.config";
import { FailedHooks } from "./failed-hooks";
import { MODULES } from "./modules.mjs";

const module = MODULES[process.env.MUTATION_MODULE ?? ""];
if (!module) throw new Error("MUTATION_MODULE names no module of tests/mutation/modules.mjs.");
const isIntegration = (pattern: string) => pattern.startsWith("tests/integration/");

/** The tests of one module, run as `npm test` runs them. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve,
  test: {
    reporters: [new FailedHooks()],
    projects: [
      {
        resolve,
        test: { name: "unit", include: module.tests.filter((pattern) => !isIntegration(pattern)) },
      },
      {
        resolve,
        test: { ...integration, name: "integration", include: module.tests.filter(isIntegration) },
      },
    ],
  },
});
