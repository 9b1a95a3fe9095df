/**
 * The result of the first attempt to succeed. They begin in their order, each as soon as the one before has failed or
 * has taken `staggerMs` milliseconds, so that a machine that does not answer holds nobody up (as RFC 8305 does with a
 * name's addresses). Later results go to `discard`. Rejects with the errors of all, in their order, when all have failed.
 */
export function raceStaggered<T>(
  attempts: (() => Promise<T>)[],
  staggerMs: number,
  discard: (late: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: Error[] = [];
    let begun = 0;
    let failed = 0;
    let isOver = false;
    const begin = () => {
      const index = begun;
      const attempt = attempts[index];
      if (isOver || !attempt) return;
      begun++;
      const timer = setTimeout(begin, staggerMs);
      attempt()
        .then(
          (result) => {
            if (isOver) return discard(result);
            isOver = true;
            resolve(result);
          },
          (error: Error) => {
            errors[index] = error;
            failed++;
            if (failed === attempts.length) reject(errors);
            // those that began meanwhile need no second start
            else if (begun === index + 1) begin();
          },
        )
        .finally(() => clearTimeout(timer));
    };
    begin();
  });
}
