/**
 * Counts what happens from now on, but for a margin at both ends; `rate` is that of a second.
 *
 * @param {number} seconds in all
 * @param {number} margin seconds at each end
 */
export function rateWindow(seconds, margin) {
  const begun = performance.now();
  const from = begun + margin * 1_000;
  const to = begun + (seconds - margin) * 1_000;
  let counted = 0;
  return {
    count: () => {
      const now = performance.now();
      if (now >= from && now < to) counted++;
    },
    rate: () => (counted * 1_000) / (to - from),
  };
}
