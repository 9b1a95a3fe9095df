/*
 * Loaded into the program by the demo (`node --import`) and by `npm run dev`: when that is killed so that it can
 * pass nothing on any more, the channel between the two breaks, and the program stops as if it were told to.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
