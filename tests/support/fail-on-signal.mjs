// Loaded into a program with `--import`: it commits a fault that nothing catches when it gets a signal,
// SIGUSR2 for a rejection without a handler, SIGHUP for an exception.
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a rejection on purpose"));
});
process.on("SIGHUP", () => {
  throw new Error("an exception on purpose");
});
