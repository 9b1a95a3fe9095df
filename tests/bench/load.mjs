import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import autocannon from "autocannon";

const CONNECTIONS = 16;

/**
 * Requests per second, latencies in milliseconds, and the number of responses with an unexpected status.
 *
 * @typedef {{ rate: number, p50: number, p99: number, wrong: number }} Sample
 * @typedef {() => { body: object, headers?: Record<string, string>, onAnswer?: (body: string) => void }} NextPost
 */

/** Whether wrk is installed, which uses less CPU than autocannon and so loads a server harder. */
export const hasWrk = () => spawnSync("wrk", ["-v"]).error === undefined;

/**
 * Requests a page for some seconds, as often as possible or at a steady rate; with wrk where it is installed.
 *
 * @param {import("./servers.mjs").Server} server
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {number} seconds
 * @param {number} [rate] requests per second
 * @returns {Promise<Sample>}
 */
export async function measureGets({ origin }, path, headers, seconds, rate) {
  const url = origin + path;
  if (rate) {
    const options = { connections: 4, overallRate: rate };
    return sampleOf(await autocannon({ url, headers, duration: seconds, ...options }));
  }
  if (!hasWrk()) {
    const options = { connections: CONNECTIONS, duration: seconds };
    return sampleOf(await autocannon({ url, headers, ...options }));
  }
  const { stdout } = await promisify(execFile)("wrk", [
    ...["--threads", "1", "--connections", String(CONNECTIONS), "--duration", `${seconds}s`],
    "--latency",
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    url,
  ]);
  return readWrk(stdout);
}

/**
 * Posts JSON, each request with the body that `next` returns, for some seconds.
 *
 * @param {import("./servers.mjs").Server} server
 * @param {string} path
 * @param {NextPost} next
 * @param {number} seconds
 * @returns {Promise<Sample>}
 */
export async function measurePosts({ origin }, path, next, seconds) {
  const result = await autocannon({
    url: origin + path,
    method: "POST",
    headers: postHeaders(origin),
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        setupRequest: (request, context) => {
          const { body, headers, onAnswer } = next();
          Object.assign(context, { onAnswer });
          return {
            ...request,
            body: JSON.stringify(body),
            headers: { ...request.headers, ...headers },
          };
        },
        onResponse: (_status, body, context) =>
          /** @type {{ onAnswer?: (body: string) => void }} */ (context).onAnswer?.(body),
      },
    ],
  });
  return sampleOf(result);
}

/**
 * Floods a site with wrong passwords, from a separate thread so as not to slow down the measurement.
 *
 * @param {import("./servers.mjs").Server} site
 * @param {number} seconds
 */
export const floodWithLogIns = ({ origin }, seconds) =>
  flood(seconds, {
    url: `${origin}/auth/login`,
    method: "POST",
    headers: postHeaders(origin),
    body: JSON.stringify({ email: "member-1@bench.test", password: "wrong" }),
  });

/**
 * Floods a site with requests for unknown pages, each at another address.
 *
 * @param {import("./servers.mjs").Server} site
 * @param {number} seconds
 */
export const floodWithUnknownAddresses = ({ origin }, seconds) =>
  flood(seconds, { url: origin, idReplacement: true, requests: [{ path: "/nothing/[<id>]" }] });

/** @param {number} seconds @param {import("autocannon").Options} options */
const flood = (seconds, options) =>
  autocannon({ ...options, connections: 60, overallRate: 400, duration: seconds, workers: 1 });

/** @param {string} origin */
const postHeaders = (origin) => ({
  "Content-Type": "application/json",
  Origin: origin,
  "Sec-Fetch-Site": "same-origin",
});

/**
 * @param {import("autocannon").Result} result
 * @returns {Sample}
 */
const sampleOf = ({ requests, duration, latency, non2xx, errors }) => ({
  rate: requests.total / duration,
  p50: latency.p50,
  p99: latency.p99,
  wrong: non2xx + errors,
});

/**
 * Parses wrk's report.
 *
 * @param {string} report
 * @returns {Sample}
 */
function readWrk(report) {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  if (rate === undefined) throw new Error(`wrk gave no figures:\n${report}`);
  const failures = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
    .exec(report)
    ?.slice(1);
  const rejected = /Non-2xx or 3xx responses: (\d+)/.exec(report)?.[1] ?? "0";
  return {
    rate: Number(rate),
    p50: readLatency(report, "50%"),
    p99: readLatency(report, "99%"),
    wrong: [rejected, ...(failures ?? [])].reduce((sum, count) => sum + Number(count), 0),
  };
}

const UNITS = { us: 0.001, ms: 1, s: 1_000 };

/** @param {string} report @param {string} percentile */
function readLatency(report, percentile) {
  const found = new RegExp(`\\s${percentile}\\s+([\\d.]+)(us|ms|s)\\b`).exec(report);
  return Number(found?.[1] ?? 0) * UNITS[/** @type {keyof typeof UNITS} */ (found?.[2] ?? "ms")];
}
