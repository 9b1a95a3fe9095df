import { createHistogram } from "node:perf_hooks";
import autocannon from "autocannon";
import { median } from "../support/median.mjs";
import { cpuSeconds } from "./processes.mjs";
import { rateWindow } from "./rate-window.mjs";

/** Until what is called often has been compiled for the last time, but on a slow machine. */
const WARM_UP_SECONDS = 4;

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
 * @property {number} [margin] seconds at both ends whose answers do not count, for posts that take long: the first ones start from
 *   nothing, and the work on the last ones would be lost
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
  const { next, margin = 0 } = work;
  const inside = rateWindow(seconds, margin);
  const before = cpuSeconds(pid);
  // autocannon's own are in whole milliseconds and, at a steady rate, add a delay for each millisecond of a longer one
  const latencies = createHistogram();
  const result = await autocannon({
    setupClient: (client) => {
      client.on("response", (_status, _bytes, ms) => latencies.record(microseconds(ms)));
      if (margin) client.on("response", inside.count);
    },
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
    rate: margin ? inside.rate() : total / result.duration,
    p50: latencies.percentile(50) / 1_000,
    p99: latencies.percentile(99) / 1_000,
    cpu: cpuPerThousand(before, after, total),
    wrong: total - answered + result.errors,
  };
}

/** At least one, since a histogram takes no less. @param {number} ms */
const microseconds = (ms) => Math.max(1, Math.round(ms * 1_000));

/**
 * CPU seconds per 1,000 requests; null where they are not known.
 *
 * @param {number | null} before @param {number | null} after @param {number} total
 */
export function cpuPerThousand(before, after, total) {
  return before === null || after === null ? null : ((after - before) / Math.max(total, 1)) * 1000;
}

/**
 * Measures servers by turns, in an order that alternates, so that the same one is not always measured after a heavily
 * loaded one. The first round only warms up.
 *
 * @template {string} Key
 * @param {readonly Key[]} keys of the servers
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {(key: Key, seconds: number) => Promise<Sample>} options.measureOne
 * @param {(round: Record<Key, Sample>) => void} [options.afterRound] called after each round but the first
 * @returns {Promise<Record<Key, Sample>>} the medians over all rounds
 */
export async function interleave(keys, { rounds, seconds, measureOne, afterRound }) {
  const samples = new Map(keys.map((key) => [key, /** @type {Sample[]} */ ([])]));
  for (let round = 0; round <= rounds; round++) {
    const measured = /** @type {Record<Key, Sample>} */ ({});
    for (const key of round % 2 === 1 ? [...keys].reverse() : keys) {
      measured[key] = await measureOne(key, round === 0 ? WARM_UP_SECONDS : seconds);
    }
    if (round === 0) continue;
    for (const key of keys) samples.get(key)?.push(measured[key]);
    afterRound?.(measured);
  }
  return /** @type {Record<Key, Sample>} */ (
    Object.fromEntries([...samples].map(([key, list]) => [key, medians(list)]))
  );
}

/**
 * The median of each value over all rounds.
 *
 * @param {Sample[]} samples
 */
export const medians = (samples) => combine(samples, median);

/**
 * The mean of each value over all processes.
 *
 * @param {Sample[]} samples
 */
export const mean = (samples) =>
  combine(samples, (figures) => figures.reduce((sum, one) => sum + one, 0) / figures.length);

/**
 * @param {Sample[]} samples
 * @param {(figures: number[]) => number} of
 * @returns {Sample} what is wrong is added up
 */
function combine(samples, of) {
  const known = samples.flatMap(({ cpu }) => (cpu === null ? [] : [cpu]));
  return {
    rate: of(samples.map(({ rate }) => rate)),
    p50: of(samples.map(({ p50 }) => p50)),
    p99: of(samples.map(({ p99 }) => p99)),
    cpu: known.length < samples.length ? null : of(known),
    wrong: samples.reduce((sum, { wrong }) => sum + wrong, 0),
  };
}
