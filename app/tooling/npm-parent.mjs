/**
 * Calls back once when npm, if it is what runs this program, has been told to end: npm passes a signal on to
 * the shell between the two, and the shell dies of it without a word to us.
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
