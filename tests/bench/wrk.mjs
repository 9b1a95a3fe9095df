// wrk, a second load generator, which takes less of the machine than autocannon and so loads a server harder. Used where
// it is installed (Debian's package `wrk`), for requests without a body.
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { cpuPerThousand } from "./load.mjs";
import { cpuSeconds } from "./processes.mjs";
import { rawGet } from "./raw-get.mjs";

const CONNECTIONS = 16;

/** Of each server that is compared, since one process differs from the next by more than the servers do from each other. */
export const PROCESSES = 3;

/** Whether wrk is installed. */
export const hasWrk = () => spawnSync("wrk", ["-v"]).error === undefined;

/**
 * As `measure` of load.mjs. `wrong` counts answers outside of 2xx and 3xx, and failed connections; all of them if one
 * more request of the kind, which is made afterwards, has another status than it should: wrk does not tell 200 from 304.
 *
 * @param {{ pid: number, origin: string }} server
 * @param {import("./load.mjs").Work} work
 * @param {number} seconds
 * @returns {Promise<import("./load.mjs").Sample>}
 */
export async function measureWithWrk({ pid, origin }, { path, headers = {}, statuses }, seconds) {
  const before = cpuSeconds(pid);
  const { stdout } = await promisify(execFile)("wrk", [
    ...["--threads", "1", "--connections", String(CONNECTIONS), "--duration", `${seconds}s`],
    "--latency",
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    origin + path,
  ]);
  const after = cpuSeconds(pid);
  const total = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const sample = { ...readReport(stdout), cpu: cpuPerThousand(before, after, total) };
  const { status } = await rawGet(origin + path, headers);
  if (statuses.includes(status)) return sample;
  return { ...sample, wrong: total };
}

/**
 * What wrk printed; latencies in milliseconds.
 *
 * @param {string} report
 * @returns {Omit<import("./load.mjs").Sample, "cpu">}
 */
export function readReport(report) {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  if (rate === undefined) throw new Error(`wrk gave no figures:\n${report}`);
  const failures =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(report)?.slice(1) ??
    [];
  const rejected = /Non-2xx or 3xx responses: (\d+)/.exec(report)?.[1] ?? "0";
  return {
    rate: Number(rate),
    p50: latency(report, "50%"),
    p99: latency(report, "99%"),
    wrong: [rejected, ...failures].reduce((sum, count) => sum + Number(count), 0),
  };
}

const UNITS = { us: 0.001, ms: 1, s: 1_000 };

/** @param {string} report @param {string} percentile */
function latency(report, percentile) {
  const [, value, unit] =
    new RegExp(`\\s${percentile}\\s+([\\d.]+)(us|ms|s)\\b`).exec(report) ?? [];
  return Number(value ?? 0) * UNITS[/** @type {keyof typeof UNITS} */ (unit ?? "ms")];
}
