// Profiles the site while it is under load by one kind of request, and draws where its CPU time goes.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "./databases.mjs";
import { measure } from "./load.mjs";
import { siteVariables, startSite } from "./processes.mjs";

/**
 * @typedef {import("./flame-graph.mjs").CpuProfile} CpuProfile
 * @typedef {{ profile: CpuProfile, from: number, to: number, sample: import("./load.mjs").Sample }} Profiled `from` and `to`
 *   on the profile's clock
 */

/**
 * Starts a site of its own under V8's profiler, whose own cost is in the figures.
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
    nodeFlags: ["--cpu-prof", `--cpu-prof-dir=${folder}`],
  });
  try {
    const work = await prepare({ origin: site.origin, url });
    await measure(site, work, 2);
    const from = clock();
    const sample = await measure(site, work, seconds);
    const to = clock();
    await site.stop();
    return { profile: readProfile(folder, site.pid), from, to, sample };
  } catch (error) {
    await site.stop();
    throw error;
  }
}

/** The profile of the process itself, not of its worker threads. @param {string} folder @param {number} pid @returns {CpuProfile} */
function readProfile(folder, pid) {
  const file = readdirSync(folder).find((name) => name.includes(`.${pid}.0.`));
  if (!file) throw new Error(`The site has written no profile: ${readdirSync(folder).join(", ")}`);
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

/** Microseconds on the clock of V8's profiler. */
const clock = () => Number(process.hrtime.bigint() / 1_000n);
