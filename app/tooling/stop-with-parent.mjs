/*
 * Loaded into the program by the demo (`node --import`) and by `npm run dev`. A parent that is killed cannot forward a
 * signal, but its IPC channel closes, and the program stops as on SIGTERM.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
