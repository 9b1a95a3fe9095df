/**
 * Calls back once when npm, if it runs this program, is terminated: npm passes the signal on to the shell in
 * between, which exits without passing it on.
 *
 * @param {() => void} callback
 */
export function whenNpmEnds(callback) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    callback();
  }, 250);
  watch.unref();
}
