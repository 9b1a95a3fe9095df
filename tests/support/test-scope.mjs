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
