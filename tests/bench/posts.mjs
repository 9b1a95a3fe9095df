// Compares posts with a bare Node server that reads the same bodies and makes the same writes (bare-poster.mjs), and log-ins
// also with the rate at which bare Node verifies passwords. Each is asked in turn, in one run.
import { createHmac, randomUUID } from "node:crypto";
import { median } from "../support/median.mjs";
import { logIn } from "./accounts.mjs";
import {
  createDatabase,
  fill,
  hashOfPassword,
  makeMembers,
  PASSWORD,
  storedMail,
} from "./databases.mjs";
import { interleave, measure } from "./load.mjs";
import { measureHashing, siteVariables, startBarePoster, startSite } from "./processes.mjs";

const USERS = 1_000;
/** More than there are connections, so that no two posts in flight change the same note. */
const MEMBERS = 64;
const CHAPTER = "the-long-hill";
const LOG_IN_CONNECTIONS = 8;
/** In seconds, nearly the time that a log-in takes while as many are under way. */
const LOG_IN_MARGIN = 0.2;
/** So many times as many rounds for posts that vary most: by what a hash takes, and by how long the disk does. */
const MORE_ROUNDS = 3;
const VARY_MOST = new Set(["log-in", "webhook"]);

const SERVERS = /** @type {const} */ (["site", "bare"]);
/** A process that hashes and does nothing else, as Node makes it and with what the site sets for hashes. */
const HASHERS = /** @type {const} */ (["plain", "asTheSite"]);

const WEBHOOK_SECRET = "whsec_goldenPathSandbox";

/**
 * `ratio` is the median of what the site reached of the bare server in each round, which are less than a minute apart.
 *
 * @typedef {import("./load.mjs").Sample} Sample
 * @typedef {{ name: string, site: Sample, bare: Sample, ratio: number }} Post
 */

/**
 * Verifications a second, in as many tasks as there are connections, and what of them the site's log-ins and those of the
 * bare server reached in each round.
 *
 * @typedef {{ rate: number, site: number[], bare: number[] }} Hashes
 * @typedef {Record<"plain" | "asTheSite", Hashes>} Hashers
 * @typedef {{ rounds: number, seconds: number, posts: Post[], hashers: Hashers }} PostsRun
 */

/**
 * @param {{ dataDir: string, secret: string, rounds: number, seconds: number, keep: <S extends { stop: () => Promise<void> }>(server: S) => S }} options
 *   `dataDir` is that of a running site, whose database server is used
 * @returns {Promise<PostsRun>}
 */
export async function measurePosts({ dataDir, secret, rounds, seconds, keep }) {
  const passwordHash = await hashOfPassword();
  const prepare = async (/** @type {string} */ name) => {
    const url = await createDatabase(dataDir, `bench_posts_${name}`);
    const site = await startSite(await siteVariables({ url, dataDir, secret }));
    await fill(url, USERS, passwordHash);
    return { url, site, members: await makeMembers(url, MEMBERS) };
  };

  // a site migrates the bare server's database, too
  const { url: bareUrl, site: migrated, members: bareMembers } = await prepare("bare");
  await migrated.stop();
  const { url, site, members } = await prepare("site");
  keep(site);
  const mail = await postedMail(site.origin, url);
  const bare = keep(await startBarePoster(bareUrl, mail));

  const own = {
    "Content-Type": "application/json",
    Origin: site.origin,
    "Sec-Fetch-Site": "same-origin",
  };
  const readers = [];
  for (const { id, email } of members) {
    readers.push({ id, cookie: await logIn(site.origin, email) });
  }
  const bareReaders = bareMembers.map(({ id }) => ({ id, cookie: "" }));

  /** @type {Record<string, { site: import("./load.mjs").Work, bare: import("./load.mjs").Work }>} */
  const works = {
    "log-in": alike({
      path: "/auth/login",
      headers: own,
      connections: LOG_IN_CONNECTIONS,
      margin: LOG_IN_MARGIN,
      next: () => ({ body: JSON.stringify({ email: nextUser(), password: PASSWORD }) }),
    }),
    notes: {
      site: { ...noted(readers), headers: own },
      bare: { ...noted(bareReaders), headers: own },
    },
    webhook: alike({
      path: "/webhooks/stripe",
      headers: { "Content-Type": "application/json" },
      next: signedEvent,
    }),
    // the last, since the mails that it queues are still being sent afterwards
    newsletter: alike({
      path: "/newsletter",
      headers: own,
      next: () => ({ body: JSON.stringify({ email: `${randomUUID()}@bench.test` }) }),
    }),
  };

  const posts = [];
  /** @type {Hashers} */
  const hashers = {
    plain: { rate: 0, site: [], bare: [] },
    asTheSite: { rate: 0, site: [], bare: [] },
  };
  for (const [name, work] of Object.entries(works)) {
    const isLogIn = name === "log-in";
    /** @type {number[]} */
    const ratios = [];
    const measured = await interleave(isLogIn ? [...SERVERS, ...HASHERS] : SERVERS, {
      rounds: VARY_MOST.has(name) ? rounds * MORE_ROUNDS : rounds,
      seconds,
      measureOne: async (key, time) => {
        if (key === "plain" || key === "asTheSite")
          return hashesAlone(passwordHash, time, key === "asTheSite");
        return measure(key === "site" ? site : bare, work[key], time);
      },
      afterRound: (round) => {
        ratios.push(round.site.rate / round.bare.rate);
        if (!isLogIn) return;
        for (const hasher of HASHERS) {
          hashers[hasher].site.push(round.site.rate / round[hasher].rate);
          hashers[hasher].bare.push(round.bare.rate / round[hasher].rate);
        }
      },
    });
    if (isLogIn) for (const hasher of HASHERS) hashers[hasher].rate = measured[hasher].rate;
    const post = { name, site: measured.site, bare: measured.bare, ratio: median(ratios) };
    console.log("post", JSON.stringify(post));
    posts.push(post);
  }
  console.log("bare hashes", JSON.stringify(hashers));
  return { rounds, seconds, posts, hashers };
}

/**
 * @param {string} hash
 * @param {number} seconds
 * @param {boolean} asTheSite
 * @returns {Promise<Sample>}
 */
async function hashesAlone(hash, seconds, asTheSite) {
  const parallel = LOG_IN_CONNECTIONS;
  const rate = await measureHashing({
    hash,
    password: PASSWORD,
    parallel,
    seconds,
    margin: LOG_IN_MARGIN,
    asTheSite,
  });
  return { rate, p50: 0, p99: 0, cpu: null, wrong: 0 };
}

/** @param {Omit<import("./load.mjs").Work, "statuses" | "method">} work */
function alike(work) {
  const post = { ...work, method: /** @type {const} */ ("POST"), statuses: [200] };
  return { site: post, bare: post };
}

let count = 0;
const nextUser = () => `user-${1 + (count++ % USERS)}@bench.test`;

/**
 * Notes of many members in turn, each on the version that the answer before has said.
 *
 * @param {{ id: string, cookie: string }[]} readers
 * @returns {import("./load.mjs").Work}
 */
function noted(readers) {
  /** @type {Map<string, number>} */
  const versions = new Map();
  let at = 0;
  return {
    path: "/premium/notes/save",
    method: "POST",
    statuses: [200],
    next: () => {
      const { id, cookie } = readers[at++ % readers.length] ?? { id: "", cookie: "" };
      const text = `What came of it today, for the ${at}th time. `.repeat(20);
      return {
        body: JSON.stringify({ slug: CHAPTER, owner: id, version: versions.get(id) ?? 0, text }),
        headers: { Cookie: cookie },
        onAnswer: (body) => {
          if (body.startsWith("{")) versions.set(id, JSON.parse(body).version ?? 0);
        },
      };
    },
  };
}

/** A signed delivery about an unknown customer: costs ledger and look-up, but no call to Stripe. */
export function signedEvent() {
  const created = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: "event",
    api_version: "2026-10-28.endive",
    created,
    livemode: false,
    type: "customer.subscription.updated",
    data: { object: { id: "sub_bench", object: "subscription", customer: `cus_${randomUUID()}` } },
  });
  const mac = createHmac("sha256", WEBHOOK_SECRET).update(`${created}.${body}`).digest("hex");
  return { body, headers: { "Stripe-Signature": `t=${created},v1=${mac}` } };
}

/**
 * The mail that a newsletter post has stored.
 *
 * @param {string} origin
 * @param {string} url
 */
async function postedMail(origin, url) {
  const email = `${randomUUID()}@bench.test`;
  const answer = await fetch(`${origin}/newsletter`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email }),
  });
  if (answer.status !== 200) throw new Error(`Subscribing failed with ${answer.status}.`);
  return storedMail(url, email);
}
