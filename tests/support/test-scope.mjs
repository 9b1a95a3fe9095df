/** Whether `npm run test:full` runs, which tries every combination; `npm test` is to stay quick enough to be run. */
export const isFullRun = process.env.TEST_SCOPE === "full";

/**
 * All members of a matrix in a full run, otherwise those that are most likely to show a fault.
 *
 * @template Member
 * @param {readonly Member[]} all
 * @param {readonly Member[]} sample
 */
export function inScope(all, sample) {
  return isFullRun ? all : sample;
}

/**
 * The members of one axis of a matrix that are tried with the member of another that has this position there: all
 * in a full run, otherwise one, in turn, so that each still occurs. What is left out is no test at all, not a skipped
 * one.
 *
 * @template Member
 * @param {readonly Member[]} all
 * @param {number} position
 * @returns {readonly Member[]}
 */
export function inTurn(all, position) {
  const index = position % all.length;
  return isFullRun ? all : all.slice(index, index + 1);
}
