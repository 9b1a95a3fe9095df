// Loaded into a program with `--import=…?port=n`: tells on that port how long its event loop was held up.
import { openSync, readSync } from "node:fs";
import { createServer } from "node:http";

/** How often the loop is looked at, in milliseconds. */
const INTERVAL_MS = 1;

const buffer = Buffer.alloc(100);
const schedule = openSchedule();

/** How long the main thread has been on a processor, where the kernel tells (Linux). */
function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return null;
  }
}

/** The thread's own time in milliseconds, without what other programs take of a busy machine; else the clock's. */
function ownTime() {
  if (schedule === null) return performance.now();
  const length = readSync(schedule, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
}

let lookedAt = ownTime();
let longest = 0;

function look() {
  const now = ownTime();
  longest = Math.max(longest, now - lookedAt - (schedule === null ? INTERVAL_MS : 0));
  lookedAt = now;
}

setInterval(look, INTERVAL_MS).unref();

// answers with the longest delay since it was asked last, in milliseconds
createServer((_request, response) => {
  // what has just held the loop up is only seen when the timers have had their turn
  setTimeout(() => {
    look();
    response.setHeader("Connection", "close");
    response.end(String(longest));
    longest = 0;
  }, 2 * INTERVAL_MS);
})
  .listen(Number(new URL(import.meta.url).searchParams.get("port")), "127.0.0.1")
  .unref();
