/*
 * Loaded into the program by the demo (`node --import`) and by `npm run dev`: if the parent is killed without being
 * able to forward a signal, their IPC channel closes, and the program stops as on SIGTERM.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
