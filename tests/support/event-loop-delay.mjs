// Loaded into a program with `--import=…?port=n`: reports on that port how long its event loop was blocked.
import { openSync, readSync } from "node:fs";
import { createServer } from "node:http";

/** Sampling interval, in milliseconds. */
const INTERVAL_MS = 1;

const buffer = Buffer.alloc(100);
const schedule = openSchedule();

/** CPU time of the main thread, where the kernel reports it (Linux). */
function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return null;
  }
}

/**
 * The thread's CPU time in milliseconds, which other programs do not affect; wall time where it is not
 * available.
 */
function ownTime() {
  if (schedule === null) return performance.now();
  const length = readSync(schedule, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
}

let sampledAt = ownTime();
let longest = 0;

function sample() {
  const now = ownTime();
  longest = Math.max(longest, now - sampledAt - (schedule === null ? INTERVAL_MS : 0));
  sampledAt = now;
}

setInterval(sample, INTERVAL_MS).unref();

// responds with the longest delay since the last request, in milliseconds
createServer((_request, response) => {
  // a delay that has just occurred is only measured once the timers have run
  setTimeout(() => {
    sample();
    response.setHeader("Connection", "close");
    response.end(String(longest));
    longest = 0;
  }, 2 * INTERVAL_MS);
})
  .listen(Number(new URL(import.meta.url).searchParams.get("port")), "127.0.0.1")
  .unref();
