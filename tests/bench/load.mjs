import autocannon from "autocannon";
import { cpuSeconds } from "./processes.mjs";

/**
 * The requests to a server: `next` returns the parts that differ for each one.
 *
 * @typedef {object} Work
 * @property {string} path
 * @property {"GET" | "POST"} [method]
 * @property {Record<string, string>} [headers]
 * @property {() => { body: string, headers?: Record<string, string>, onAnswer?: (body: string) => void }} [next]
 * @property {number} [connections]
 * @property {number} [rate] requests per second at most
 * @property {number[]} statuses that count as success
 *
 * @typedef {{ rate: number, p50: number, p99: number, cpu: number | null, wrong: number }} Sample
 */

/**
 * Puts a server under load for some seconds. Latencies are in milliseconds, `cpu` in seconds per 1,000 requests.
 *
 * @param {{ pid: number, origin: string }} server
 * @param {Work} work
 * @param {number} seconds
 * @returns {Promise<Sample>}
 */
export async function measure({ pid, origin }, work, seconds) {
  const { next } = work;
  const before = cpuSeconds(pid);
  const result = await autocannon({
    url: origin + work.path,
    method: work.method ?? "GET",
    headers: work.headers ?? {},
    connections: work.connections ?? 16,
    duration: seconds,
    ...(work.rate ? { overallRate: work.rate } : {}),
    ...(next
      ? {
          requests: [
            {
              setupRequest: (request, context) => {
                const { body, headers, onAnswer } = next();
                Object.assign(context, { onAnswer });
                return { ...request, body, headers: { ...request.headers, ...headers } };
              },
              onResponse: (_status, body, context) =>
                /** @type {{ onAnswer?: (body: string) => void }} */ (context).onAnswer?.(body),
            },
          ],
        }
      : {}),
  });
  const after = cpuSeconds(pid);
  const answered = Object.entries(result.statusCodeStats ?? {}).reduce(
    (sum, [status, { count = 0 }]) => (work.statuses.includes(Number(status)) ? sum + count : sum),
    0,
  );
  const total = result.requests.total;
  return {
    rate: total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: before === null || after === null ? null : ((after - before) / Math.max(total, 1)) * 1000,
    wrong: total - answered + result.errors,
  };
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/**
 * The median of each value over all rounds.
 *
 * @param {Sample[]} samples
 * @returns {Sample}
 */
export function medians(samples) {
  const of = (/** @type {(sample: Sample) => number} */ figure) => median(samples.map(figure));
  return {
    rate: of(({ rate }) => rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu: samples.some(({ cpu }) => cpu === null) ? null : of(({ cpu }) => cpu ?? 0),
    wrong: samples.reduce((sum, { wrong }) => sum + wrong, 0),
  };
}
