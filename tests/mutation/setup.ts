import fc from "fast-check";
import { beforeEach, type RunnerTask } from "vitest";
import { isLeftOut } from "./slow-tests.mjs";

// a mutant is noticed as soon as a property fails: the smallest counterexample helps nobody
fc.configureGlobal({ endOnFailure: true });

const sources = (process.env.MUTATION_SOURCES ?? "").split(",");

// what runs while they are loaded is no test's, whichever loads them first
if (process.env.MUTATION_IGNORES_STATIC)
  for (const source of sources) await import(/* @vite-ignore */ `../../${source}`);

const fullName = ({ name, suite }: RunnerTask): string =>
  suite ? `${fullName(suite)} ${name}`.trim() : name;

/** Stryker looks for the tests of a mutant by one regular expression of all their names, whose size is limited. */
const MAX_NAME_LENGTH = 10_000;

beforeEach(({ task, skip }) => {
  if (fullName(task).length > MAX_NAME_LENGTH)
    throw new Error("The name of this test is too long.");
  if (isLeftOut(fullName(task), sources)) skip("too slow for mutants of other sources");
});
