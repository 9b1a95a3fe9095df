/**
 * Tests that wait for seconds, as for a budget of calls to refill, with the sources that they are about. They run
 * only for mutants of those: each mutant that lives on in another file would wait for all of them.
 *
 * @type {{ name: RegExp, about: RegExp }[]}
 */
const SLOW_TESTS = [
  {
    name: /^many accounts together (stay under|give priority|fail at once)/,
    about: /billing\/(call-|budgeted-)/,
  },
  {
    name: /^a budget of calls (drops|rejects at once|starts no more)/,
    about: /billing\/call-budget/,
  },
  {
    name: /^two processes at once .* in flight for seconds$/,
    about: /billing\/(checkout|customer)\.server/,
  },
  {
    name: /^coming back from the portal waits a few seconds/,
    about: /billing\/portal-return/,
  },
];

/**
 * Whether mutants of these sources need not be shown to a test.
 *
 * @param {string} test its name, after those of the blocks it stands in
 * @param {readonly string[]} sources
 */
export const isLeftOut = (test, sources) =>
  SLOW_TESTS.some(
    ({ name, about }) => name.test(test) && !sources.some((source) => about.test(source)),
  );

/**
 * Splits sources into those without slow tests and those with some, which are measured separately.
 *
 * @param {readonly string[]} sources
 * @returns {string[][]}
 */
export function batches(sources) {
  const isSlow = (/** @type {string} */ source) =>
    SLOW_TESTS.some(({ about }) => about.test(source));
  const parts = [sources.filter((one) => !isSlow(one)), sources.filter(isSlow)];
  return parts.filter((part) => part.length > 0);
}
