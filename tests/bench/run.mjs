// `npm run bench` (after `npm run build`): measures the built site. Compares it with a bare Node server that sends
// the same bytes, the same build under remix-serve, and the rate at which Node verifies passwords. A parameter runs
// one part: `pages`, `flood` or `posts`. `BENCH_ROUNDS` and `BENCH_SECONDS` shorten or lengthen it.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import argon2 from "argon2";
import { median } from "../support/median.mjs";
import { addMembers, databaseAddress, hashOfPassword, PASSWORD } from "./database.mjs";
import {
  floodWithLogIns,
  floodWithUnknownAddresses,
  hasWrk,
  measureGets,
  measurePosts,
} from "./load.mjs";
import {
  project,
  residentMemory,
  startBareServer,
  startRemixServe,
  startSite,
} from "./servers.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CHAPTER = "the-hour-before-the-day";

/** More than the connections, so no two posts in flight change the same note. */
const MEMBERS = 32;

if (!existsSync(join(project, "build/index.js"))) {
  console.error("There is no build to measure: run 'npm run build' first.");
  process.exit(1);
}
if (!hasWrk()) console.log("wrk is not installed: pages are measured with autocannon.");

const dataDir = mkdtempSync(join(tmpdir(), "golden-path-bench-"));
/** @type {{ stop: () => Promise<void> }[]} */
const started = [];
/** @template {{ stop: () => Promise<void> }} S @param {S} server */
const keep = (server) => {
  started.unshift(server);
  return server;
};

try {
  const part = process.argv[2];
  const variables = { DATA_DIR: dataDir, SESSION_SECRET: randomBytes(32).toString("hex") };
  const site = keep(await startSite(variables));
  console.log(`memory at rest: ${residentMemory(site.pid)?.toFixed(0)} MB`);
  const members = await addMembers(databaseAddress(dataDir), MEMBERS);
  const readers = [];
  for (const { id, email } of members) readers.push({ id, cookie: await logIn(site, email) });
  if (!part || part === "pages") await comparePages(site, variables, readers[0]?.cookie ?? "");
  if (!part || part === "flood") await compareUnderFlood(site);
  if (!part || part === "posts") await comparePosts(site, readers);
  console.log(`memory at the end: ${residentMemory(site.pid)?.toFixed(0)} MB`);
} finally {
  for (const server of started) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Anonymous pages beside bare Node, and a member's page beside remix-serve.
 *
 * @param {import("./servers.mjs").Server} site
 * @param {Record<string, string>} variables
 * @param {string} cookie
 */
async function comparePages(site, variables, cookie) {
  const bare = keep(await startBareServer());
  for (const encoding of ["identity", "br"]) {
    const headers = { "Accept-Encoding": encoding };
    await bare.copy(`${site.origin}/`, headers);
    await compare(`landing page, ${encoding}`, {
      site: (seconds) => measureGets(site, "/", headers, seconds),
      "bare Node": (seconds) => measureGets(bare, "/", headers, seconds),
    });
  }
  const plain = keep(
    await startRemixServe({ ...variables, DATABASE_URL: databaseAddress(dataDir) }),
  );
  const headers = { "Accept-Encoding": "gzip, deflate, br", Cookie: cookie };
  await compare("a member's pages, five a second", {
    "landing page": (seconds) => measureGets(site, "/", headers, seconds, 5),
    "a chapter": (seconds) =>
      measureGets(site, `/premium/chapters/${CHAPTER}`, headers, seconds, 5),
  });
  // not a chapter: remix-serve imports no edition
  for (const path of ["/", "/premium", "/account"]) {
    await compare(`${path}, signed in`, {
      site: (seconds) => measureGets(site, path, headers, seconds),
      "remix-serve": (seconds) => measureGets(plain, path, headers, seconds),
    });
  }
}

/**
 * The landing page at 50 requests per second, alone and beside floods from the same network.
 *
 * @param {import("./servers.mjs").Server} site
 */
async function compareUnderFlood(site) {
  const visit = (/** @type {number} */ seconds) =>
    measureGets(site, "/", { "Accept-Encoding": "br" }, seconds, 50);
  const visitBeside =
    (/** @type {typeof floodWithLogIns} */ start) => async (/** @type {number} */ seconds) => {
      const flood = start(site, seconds + 2);
      // until the queue is full
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const sample = await visit(seconds);
      await flood;
      return sample;
    };
  await compare("landing page, 50 a second", {
    alone: visit,
    "beside a flood of log-ins": visitBeside(floodWithLogIns),
    "beside unknown addresses": visitBeside(floodWithUnknownAddresses),
  });
}

/**
 * @param {import("./servers.mjs").Server} site
 * @param {{ id: string, cookie: string }[]} readers
 */
async function comparePosts(site, readers) {
  const post = (/** @type {string} */ path, /** @type {import("./load.mjs").NextPost} */ next) => ({
    site: (/** @type {number} */ seconds) => measurePosts(site, path, next, seconds),
  });
  const hash = await hashOfPassword();
  await compare("log in", {
    ...post("/auth/login", () => ({ body: { email: "member-1@bench.test", password: PASSWORD } })),
    "hashes alone": (seconds) => measureHashes(hash, seconds),
  });
  await compare("a member's notes", post("/premium/notes/save", notesOf(readers)));
  await compare("webhook", post("/webhooks/stripe", signedEvent));
  // last, since its queued mails are still sent afterward
  const newcomer = () => ({ body: { email: `${randomUUID()}@bench.test` } });
  await compare("newsletter", post("/newsletter", newcomer));
}

/**
 * Measures each one in alternating order, and prints the medians. The first round only warms up.
 *
 * @param {string} title
 * @param {Record<string, (seconds: number) => Promise<import("./load.mjs").Sample>>} measured
 */
async function compare(title, measured) {
  const keys = Object.keys(measured);
  /** @type {Record<string, import("./load.mjs").Sample>[]} */
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    /** @type {Record<string, import("./load.mjs").Sample>} */
    const samples = {};
    for (const key of round % 2 ? [...keys].reverse() : keys) {
      const sample = await measured[key]?.(SECONDS);
      if (sample) samples[key] = sample;
    }
    if (round > 0) rounds.push(samples);
  }
  console.log(`\n${title}`);
  for (const key of keys) {
    const of = (/** @type {keyof import("./load.mjs").Sample} */ figure) =>
      median(rounds.map((samples) => samples[key]?.[figure] ?? Number.NaN));
    const cells = [
      `${of("rate").toFixed(0)}/s`,
      ...(of("p99") > 0
        ? [`p50 ${of("p50").toFixed(1)} ms`, `p99 ${of("p99").toFixed(1)} ms`]
        : []),
      ...(of("wrong") > 0 ? [`${of("wrong")} unexpected answers`] : []),
    ];
    if (key !== keys[0] && of("rate") > 0) {
      const ratios = rounds.map((samples) => {
        const first = samples[keys[0] ?? ""];
        return (first?.rate ?? 0) / (samples[key]?.rate ?? 0);
      });
      cells.push(`${keys[0]}: ${median(ratios).toFixed(2)} of it`);
    }
    console.log(`  ${key.padEnd(26)} ${cells.join(", ")}`);
  }
}

/**
 * The rate at which Node alone verifies passwords, one at a time on each core.
 *
 * @param {string} hash
 * @param {number} seconds
 * @returns {Promise<import("./load.mjs").Sample>}
 */
async function measureHashes(hash, seconds) {
  const begun = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      while (performance.now() < begun + seconds * 1_000) {
        await argon2.verify(hash, PASSWORD);
        count++;
      }
    }),
  );
  return { rate: (count * 1_000) / (performance.now() - begun), p50: 0, p99: 0, wrong: 0 };
}

/**
 * The cookies of a new session.
 *
 * @param {import("./servers.mjs").Server} site
 * @param {string} email
 */
async function logIn({ origin }, email) {
  const answer = await fetch(`${origin}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (answer.status !== 200) throw new Error(`Logging in was answered with ${answer.status}.`);
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  // without the flash, which would otherwise be shown on every page
  return cookies.filter((cookie) => !cookie.startsWith("flash=")).join("; ");
}

/**
 * Notes of each member in turn, based on the version that the previous response returned.
 *
 * @param {{ id: string, cookie: string }[]} readers
 * @returns {import("./load.mjs").NextPost}
 */
function notesOf(readers) {
  /** @type {Map<string, number>} */
  const versions = new Map();
  let at = 0;
  return () => {
    const { id, cookie } = readers[at++ % readers.length] ?? { id: "", cookie: "" };
    const text = `What came of it today, for the ${at}th time. `.repeat(20);
    return {
      body: { slug: CHAPTER, owner: id, version: versions.get(id) ?? 0, text },
      headers: { Cookie: cookie },
      onAnswer: (body) => {
        if (body.startsWith("{")) versions.set(id, JSON.parse(body).version ?? 0);
      },
    };
  };
}

/** A signed delivery about an unknown customer: costs the ledger write and a look-up, but no call to Stripe. */
function signedEvent() {
  const created = Math.floor(Date.now() / 1_000);
  const event = {
    id: `evt_${randomUUID()}`,
    object: "event",
    api_version: "2026-10-28.endive",
    created,
    livemode: false,
    type: "customer.subscription.updated",
    data: { object: { id: "sub_bench", object: "subscription", customer: `cus_${randomUUID()}` } },
  };
  const mac = createHmac("sha256", "whsec_goldenPathSandbox")
    .update(`${created}.${JSON.stringify(event)}`)
    .digest("hex");
  return { body: event, headers: { "Stripe-Signature": `t=${created},v1=${mac}` } };
}
