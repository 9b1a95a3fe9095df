// Loaded into a program with `--import`: it fails without a handler when it gets a signal: SIGUSR2 for an
// unhandled rejection, SIGHUP for an uncaught exception.
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a rejection on purpose"));
});
process.on("SIGHUP", () => {
  throw new Error("an exception on purpose");
});
