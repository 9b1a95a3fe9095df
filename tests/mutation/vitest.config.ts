import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { defineConfig } from "vitest/config";
import type { InlineConfig, Vite } from "vitest/node";
import { integration, resolve } from "../../vitest.config";
import { FailedHooks } from "./failed-hooks";
import { FailingFirst } from "./failing-first.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tests = process.env.MUTATION_TESTS?.split("\n");
if (!tests) throw new Error("MUTATION_TESTS lists no tests, as tests/mutation/run.mjs does.");

/**
 * How long an effect is awaited that a mutant may have prevented, and how long a test may take, in milliseconds:
 * less than in `npm test`, since most mutants that are noticed are noticed by such a wait.
 */
const EFFECT_TIMEOUT_MS = 6_000;
const TEST_TIMEOUT_MS = 15_000;

/** Files that load the program anew, or need it so; or set the time zone, which threads can't. */
const ALONE = [
  "app/features/newsletter/campaign-report.test.ts",
  "app/features/newsletter/send-options.server.test.ts",
  "app/features/newsletter/subscriber-token.server.test.ts",
  "tests/integration/avatar.test.ts",
  "tests/integration/checkout-races.test.ts",
  "tests/integration/known-browser.test.ts",
  // each renders the mails that are rendered once
  "tests/integration/newsletter-double-opt-in.test.ts",
  "tests/integration/newsletter.test.ts",
  "tests/integration/notes.test.ts",
  "tests/integration/payment-pages.test.ts",
  "tests/integration/portal-return.test.ts",
  "tests/integration/rate-limits.test.ts",
  "tests/full/integration/stripe-calls.test.ts",
  "tests/full/integration/stripe-doctor.test.ts",
  "tests/full/integration/stripe-setup.test.ts",
];

const isIntegration = (file: string) => /^tests\/(full\/)?integration\//.test(file);
const files = globSync(tests, { cwd: root }).filter(
  (file) => !process.env.MUTATION_UNIT || !isIntegration(file),
);
const together = files.filter((file) => !ALONE.includes(file));

/** Stryker asks for threads for all projects, which start sooner. */
const forks: Vite.Plugin = {
  name: "golden-path-forks",
  configureVitest({ project }) {
    project.config.pool = "forks";
  },
};

const MAIL_ELEMENTS = [
  "Button",
  "Column",
  "Container",
  "Head",
  "Heading",
  "Html",
  "Img",
  "Link",
  "Row",
  "Section",
  "Text",
];

/** Loads of react-email only the elements that mails use, which takes a tenth of the time of loading all of it. */
const lightMails: Vite.Plugin = {
  name: "golden-path-light-mails",
  enforce: "pre",
  resolveId: (id) => (id === "react-email" ? "\0react-email" : null),
  load: (id) => {
    if (id !== "\0react-email") return null;
    const folder = fileURLToPath(new URL("components", import.meta.resolve("react-email")));
    const lines = MAIL_ELEMENTS.map((name) => {
      const file = `${folder}/${name.toLowerCase()}/${name.toLowerCase()}.mjs`;
      return `export { ${name} } from ${JSON.stringify(file)};`;
    });
    return lines.join("\n");
  },
};

const project = (test: InlineConfig) => ({
  resolve,
  plugins: test.isolate ? [forks, lightMails] : [lightMails],
  test: {
    ...integration,
    expect: { poll: { timeout: EFFECT_TIMEOUT_MS, interval: 50 } },
    env: { ...integration.env, EFFECT_TIMEOUT_MS: String(EFFECT_TIMEOUT_MS) },
    testTimeout: TEST_TIMEOUT_MS,
    setupFiles: [fileURLToPath(new URL("setup.ts", import.meta.url))],
    maxWorkers: 1,
    ...test,
  },
});

/**
 * The tests of one module, the cheapest first. Those of a group share a process, which loads the program once and
 * ends with the run: a mutant never meets what another has left behind.
 */
export default defineConfig({
  root,
  resolve,
  test: {
    reporters: [new FailedHooks()],
    sequence: { sequencer: FailingFirst },
    projects: [
      project({
        name: "unit",
        include: together.filter((file) => !isIntegration(file)),
        isolate: false,
        globalSetup: [],
        env: {},
        sequence: { groupOrder: 1 },
      }),
      project({
        name: "integration",
        include: together.filter(isIntegration),
        isolate: false,
        sequence: { groupOrder: 2 },
      }),
      project({
        name: "alone",
        include: files.filter((file) => ALONE.includes(file)),
        isolate: true,
        sequence: { groupOrder: 3 },
      }),
    ],
  },
});
