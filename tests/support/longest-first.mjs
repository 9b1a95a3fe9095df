import { BaseSequencer } from "vitest/node";

/** Files that take much longer than their size suggests, by which Vitest orders what it has not run before. */
const LONGEST = [
  "tests/full/e2e/every-state.test.ts",
  "tests/full/e2e/every-click.test.ts",
  "tests/full/e2e/accessibility.test.ts",
  "tests/full/e2e/section-links.test.ts",
  "tests/full/e2e/membership-stories.test.ts",
  "tests/full/e2e/resilience-kill.test.ts",
  "tests/full/e2e/newsletter-journey.test.ts",
  "tests/full/e2e/fresh-machine.test.ts",
  "tests/integration/billing-property.test.ts",
];

/** Vitest's order, but these files first, since workers would be idle while the last of them runs. */
export class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import("vitest/node").TestSpecification[]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    const isLong = (/** @type {import("vitest/node").TestSpecification} */ { moduleId }) =>
      LONGEST.some((path) => moduleId.endsWith(`/${path}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
