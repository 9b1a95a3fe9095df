/**
 * Calls back once when the npm that runs this program is terminated. npm signals only the shell in between, which exits
 * without passing the signal on.
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
