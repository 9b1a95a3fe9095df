// Loaded into a program with `--import`: makes it fail on a signal, SIGUSR2 with an unhandled rejection, SIGALRM
// with an uncaught exception.
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a rejection on purpose"));
});
process.on("SIGALRM", () => {
  throw new Error("an exception on purpose");
});
