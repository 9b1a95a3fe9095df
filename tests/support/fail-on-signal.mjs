// Loaded into a program with `--import`: makes it fail on a signal, SIGUSR2 with an unhandled rejection, SIGHUP
// with an uncaught exception.
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a rejection on purpose"));
});
process.on("SIGHUP", () => {
  throw new Error("an exception on purpose");
});
