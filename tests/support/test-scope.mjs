/** Whether `npm run test:full` runs: the property tests then try more random histories. */
export const isFullRun = process.env.TEST_SCOPE === "full";
