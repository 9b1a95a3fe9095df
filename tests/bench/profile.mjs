// Profiles the site while it is under load by one kind of request.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "./databases.mjs";
import { measure } from "./load.mjs";
import { PERF_FLAGS, recordStacks } from "./perf.mjs";
import { siteVariables, startSite } from "./processes.mjs";

/** Until what is called often has been compiled for the last time. */
const WARM_UP_SECONDS = 8;

/**
 * @typedef {{ stacks: import("./perf.mjs").Stack[], sample: import("./load.mjs").Sample }} Profiled
 */

/**
 * Starts a site of its own and samples what it does, which has its cost in the figures.
 *
 * @param {object} options
 * @param {string} options.dataDir that of a running site, whose database server is used
 * @param {string} options.name of the database
 * @param {string} options.secret
 * @param {number} options.seconds
 * @param {(site: { origin: string, url: string }) => Promise<import("./load.mjs").Work>} options.prepare
 * @returns {Promise<Profiled>}
 */
export async function profile({ dataDir, name, secret, seconds, prepare }) {
  const folder = join(dataDir, `profile-${name}`);
  mkdirSync(folder);
  const url = await createDatabase(dataDir, `bench_profile_${name}`);
  const site = await startSite(await siteVariables({ url, dataDir, secret }), {
    nodeFlags: PERF_FLAGS,
  });
  try {
    const work = await prepare({ origin: site.origin, url });
    await measure(site, work, WARM_UP_SECONDS);
    const stop = recordStacks(site.pid, folder);
    const sample = await measure(site, work, seconds);
    return { stacks: await stop(), sample };
  } finally {
    await site.stop();
  }
}
