// `npm run bench`: compares the site with a bare Node server sending the same bytes, its newsletter with a bare loop
// around nodemailer, a library of thousands of texts with one of twelve, and its posts with a bare server's that makes the
// same writes, interleaved in one run, and draws where the CPU time of some pages and of a post goes. A parameter runs one part:
// `requests`, `signed-in`, `posts`, `profiles`, `newsletter` or `library`.
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signUp } from "./accounts.mjs";
import { createDatabase, fill, hashOfPassword, makeMember, PASSWORD } from "./databases.mjs";
import { measureLibrary } from "./library.mjs";
import { interleave, mean, measure, medians } from "./load.mjs";
import { measureNewsletter } from "./newsletter.mjs";
import { hasPerf } from "./perf.mjs";
import { measurePosts, signedEvent } from "./posts.mjs";
import {
  databaseMemory,
  peakMemory,
  project,
  residentMemory,
  siteVariables,
  startBareServer,
  startFlood,
  startSite,
} from "./processes.mjs";
import { profile } from "./profile.mjs";
import { rawGet } from "./raw-get.mjs";
import {
  writeLibraryReport,
  writeNewsletterReport,
  writePostsReport,
  writeProfileReport,
  writeReport,
  writeSignedInReport,
} from "./report.mjs";
import { hasWrk, measureWithWrk, PROCESSES } from "./wrk.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const SIZES = (process.env.BENCH_SIZES ?? "1000,1000000,10000000").split(",").map(Number);

/** A built checkout of another release, whose signed-in pages under remix-serve are measured beside. */
const BEFORE = process.env.BENCH_BEFORE;

const MAILS = Number(process.env.BENCH_MAILS ?? 20_000);
const MAIL_ROUNDS = Math.min(ROUNDS, 3);

const PARTS = process.argv[2]
  ? [process.argv[2]]
  : ["newsletter", "library", "posts", "signed-in", "profiles", "requests"];

const BROWSER_ENCODINGS = "gzip, deflate, br";
const CHAPTER_PATH = "/premium/chapters/the-hour-before-the-day";

const SESSION_SECRET = "a secret for benchmarks that is worth nothing elsewhere";

if (!existsSync(join(project, "build/index.js"))) {
  console.error("There is no build to measure: run 'npm run build' first.");
  process.exit(1);
}

const dataDir = mkdtempSync(join(tmpdir(), "golden-path-bench-"));
/** @type {{ stop: () => Promise<void> }[]} */
const started = [];
/** @template {{ stop: () => Promise<void> }} S @param {S} server */
const keep = (server) => {
  started.unshift(server);
  return server;
};

try {
  await main();
} finally {
  for (const server of started) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function main() {
  // this one only provides the database server for the others
  keep(await startSite({ DATA_DIR: dataDir }));
  if (PARTS.includes("newsletter")) {
    const run = await measureNewsletter({
      dataDir,
      secret: SESSION_SECRET,
      mails: MAILS,
      rounds: MAIL_ROUNDS,
      keep,
    });
    writeNewsletterReport(run);
  }
  if (PARTS.includes("library")) {
    const options = { dataDir, secret: SESSION_SECRET, rounds: ROUNDS, seconds: SECONDS, keep };
    writeLibraryReport(await measureLibrary(options));
  }
  if (PARTS.includes("posts")) {
    const options = { dataDir, secret: SESSION_SECRET, rounds: ROUNDS, seconds: SECONDS, keep };
    writePostsReport(await measurePosts(options));
  }
  if (PARTS.includes("signed-in")) await measureSignedIn();
  if (PARTS.includes("profiles")) {
    if (hasPerf()) await drawProfiles();
    else console.error("No flame graphs: perf is not installed (Debian's package linux-perf).");
  }
  if (PARTS.includes("requests")) await measureRequests();
}

/** A page of each kind that is for signed-in visitors, and a newsletter post. */
async function drawProfiles() {
  const run = (
    /** @type {string} */ name,
    /** @type {Parameters<typeof profile>[0]["prepare"]} */ prepare,
  ) => profile({ dataDir, name, secret: SESSION_SECRET, seconds: SECONDS, prepare });
  const ofMember = (/** @type {string} */ name, /** @type {string} */ path) =>
    run(name, async ({ origin, url }) => {
      const { email, cookie } = await signUp(origin);
      await makeMember(url, email);
      return { path, headers: { "Accept-Encoding": "identity", Cookie: cookie }, statuses: [200] };
    });
  const page = await ofMember("page", "/");
  const chapter = await ofMember("chapter", CHAPTER_PATH);
  const account = await ofMember("account", "/account");
  const post = await run("post", async ({ origin }) => ({
    path: "/newsletter",
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Origin: origin,
      "Sec-Fetch-Site": "same-origin",
    },
    next: () => ({ body: JSON.stringify({ email: `${randomUUID()}@bench.test` }) }),
    statuses: [200],
  }));
  writeProfileReport({ page, chapter, account, post });
}

/** The pages of a reader and a member, beside remix-serve with this build and with that of `BENCH_BEFORE`. */
async function measureSignedIn() {
  const roots = { site: project, plain: project, ...(BEFORE ? { before: BEFORE } : {}) };
  /** @type {Record<string, import("./processes.mjs").Server & { works: Record<string, import("./load.mjs").Work> }>} */
  const servers = {};
  for (const [name, root] of Object.entries(roots)) {
    // an earlier release does not know how to reach the database of this one
    const folder = name === "before" ? join(dataDir, "before") : dataDir;
    if (name === "before") keep(await startSite({ DATA_DIR: folder }, { root }));
    const url = await createDatabase(folder, `bench_signed_in_${name}`);
    const variables = await siteVariables({ url, dataDir: folder, secret: SESSION_SECRET });
    // under remix-serve nothing is migrated
    if (name !== "site") await (await startSite(variables, { root })).stop();
    const server = keep(await startSite(variables, { plain: name !== "site", root }));
    const [reader, member] = [await signUp(server.origin), await signUp(server.origin)];
    await makeMember(url, member.email);
    /** @type {Record<string, [path: string, cookie: string, encodings?: string]>} */
    const pages = {
      "landing-signed-in": ["/", reader.cookie],
      "landing-member": ["/", member.cookie],
      premium: ["/premium", member.cookie],
      // as browsers ask
      "landing-signed-in-brotli": ["/", reader.cookie, BROWSER_ENCODINGS],
      "premium-brotli": ["/premium", member.cookie, BROWSER_ENCODINGS],
      ...(name === "before"
        ? {}
        : {
            // only the program imports the edition
            ...(name === "plain" ? {} : { chapter: [CHAPTER_PATH, member.cookie] }),
            account: ["/account", member.cookie],
          }),
    };
    const works = Object.fromEntries(
      Object.entries(pages).map(([page, [path, cookie, encodings = "identity"]]) => [
        page,
        { path, headers: { "Accept-Encoding": encodings, Cookie: cookie }, statuses: [200] },
      ]),
    );
    servers[name] = { ...server, works };
  }
  const names = Object.keys(servers.site?.works ?? {});
  /** @type {import("./report.mjs").SignedIn[]} */
  const pages = [];
  const rounds = { rounds: ROUNDS, seconds: SECONDS };
  for (const name of names) {
    const asked = Object.keys(servers).filter((key) => servers[key]?.works[name]);
    const load = (/** @type {typeof measure} */ generate) => ({
      ...rounds,
      measureOne: (/** @type {string} */ key, /** @type {number} */ seconds) => {
        const server = /** @type {(typeof servers)[string]} */ (servers[key]);
        const work = /** @type {import("./load.mjs").Work} */ (server.works[name]);
        return generate(server, work, seconds);
      },
    });
    const servedBy = await interleave(asked, load(measure));
    const underWrk = hasWrk() ? (await interleave(["site"], load(measureWithWrk))).site : undefined;
    console.log("signed in", name, JSON.stringify({ ...servedBy, underWrk }));
    pages.push({ name, ...servedBy, underWrk });
  }
  writeSignedInReport({ rounds: ROUNDS, seconds: SECONDS, pages });
}

async function measureRequests() {
  const passwordHash = await hashOfPassword();

  /** @type {{ size: number, bytes: number, url: string, site: import("./processes.mjs").Server, variables: Record<string, string> }[]} */
  const sites = [];
  for (const size of SIZES) {
    console.log(`Filling a database with ${size.toLocaleString("en")} users and subscribers …`);
    const url = await createDatabase(dataDir, `bench_${size}`);
    const variables = await siteVariables({ url, dataDir, secret: SESSION_SECRET });
    const site = keep(await startSite(variables));
    const bytes = await fill(url, size, passwordHash);
    sites.push({ size, bytes, url, site, variables });
  }
  const [first] = sites;
  if (!first) throw new Error("BENCH_SIZES is empty.");
  const restMemory = residentMemory(first.site.pid) ?? 0;
  const { site, url } = first;
  // first, since newsletter posts leave mails that are sent for minutes
  const underWrk = hasWrk() ? await compareUnderWrk(site, url) : {};
  const plain = keep(await startSite(first.variables, { plain: true }));
  const bare = keep(await startBareServer());

  const cases = await describeCases(site.origin);
  const compared = [];
  for (const { name, work, reference } of cases) {
    if (reference) await bare.teach(name, await reference());
    compared.push(await compare(name, work, reference !== null));
  }
  const grown = await grow();
  const flood = await measureUnderFlood(site);

  writeReport({
    rounds: ROUNDS,
    seconds: SECONDS,
    compared: compared.map((one) => ({ ...one, underWrk: underWrk[one.name] })),
    grown,
    flood,
    restMemory,
    peakMemory: Math.max(...sites.map((entry) => peakMemory(entry.site.pid) ?? 0)),
    databaseMemory: databaseMemory(dataDir),
    sizes: sites.map(({ size, bytes }) => ({ size, bytes })),
  });

  /**
   * @param {string} name
   * @param {import("./load.mjs").Work} work
   * @param {boolean} hasReference
   */
  async function compare(name, work, hasReference) {
    const servers = {
      site,
      ...(hasReference ? { bare } : {}),
      ...(name === "landing-signed-in" ? { plain } : {}),
    };
    const result = /** @type {import("./report.mjs").Served} */ (
      await interleave(/** @type {(keyof typeof servers)[]} */ (Object.keys(servers)), {
        rounds: ROUNDS,
        seconds: SECONDS,
        measureOne: (key, seconds) =>
          measure(
            /** @type {import("./processes.mjs").Server} */ (servers[key]),
            key === "bare" ? { ...work, path: `/${name}` } : work,
            seconds,
          ),
      })
    );
    console.log(name, JSON.stringify(result));
    return { name, ...result };
  }

  /** Measures how requests that query the database slow down with its size, all sizes interleaved. */
  async function grow() {
    const grown = [];
    for (const name of ["landing-signed-in", "log-in", "newsletter", "webhook"]) {
      /** @type {Map<string, { site: import("./processes.mjs").Server, work: import("./load.mjs").Work }>} */
      const loads = new Map();
      for (const { size, site } of sites) {
        const found = (await describeCases(site.origin, size)).find((one) => one.name === name);
        if (found) loads.set(String(size), { site, work: found.work });
      }
      const samples = await interleave([...loads.keys()], {
        rounds: ROUNDS,
        seconds: SECONDS,
        measureOne: (key, seconds) => {
          const load = loads.get(key);
          if (!load) throw new Error(`No site has ${key} users.`);
          return measure(load.site, load.work, seconds);
        },
      });
      const bySize = sites.map(({ size }) => {
        const sample = /** @type {import("./load.mjs").Sample} */ (samples[String(size)]);
        return { size, ...sample };
      });
      console.log(name, JSON.stringify(bySize));
      grown.push({ name, bySize });
    }
    return grown;
  }
}

/**
 * Measures the requests without a body under wrk, of several processes of the site, on one database, and of the bare server,
 * by turns; each figure is the mean of the medians of the processes.
 *
 * @param {import("./processes.mjs").Server} site
 * @param {string} url of its database
 * @returns {Promise<Record<string, import("./report.mjs").Served>>}
 */
async function compareUnderWrk(site, url) {
  const sites = [site];
  const bares = [await startBareServer()];
  try {
    while (sites.length < PROCESSES) {
      const variables = await siteVariables({ url, dataDir, secret: SESSION_SECRET });
      sites.push(await startSite(variables));
      bares.push(await startBareServer());
    }
    return await compareProcesses(sites, bares);
  } finally {
    for (const server of [...sites.slice(1), ...bares]) await server.stop();
  }
}

/**
 * @param {import("./processes.mjs").Server[]} sites
 * @param {Awaited<ReturnType<typeof startBareServer>>[]} bares
 */
async function compareProcesses(sites, bares) {
  // each site's own, since a page's ETag depends on its address
  const casesOf = await Promise.all(sites.map(({ origin }) => describeCases(origin)));
  /** @type {Record<string, import("./report.mjs").Served>} */
  const results = {};
  for (const { name, work, reference } of casesOf[0] ?? []) {
    if (!reference) continue;
    const answer = await reference();
    for (const bare of bares) await bare.teach(name, answer.clone());
    const loads = Object.fromEntries([
      ...sites.map((site, index) => {
        const own = casesOf[index]?.find((one) => one.name === name)?.work ?? work;
        return [`site ${index}`, { server: site, work: own }];
      }),
      ...bares.map((bare, index) => [
        `bare ${index}`,
        { server: bare, work: { ...work, path: `/${name}` } },
      ]),
    ]);
    const samples = await interleave(Object.keys(loads), {
      rounds: ROUNDS,
      seconds: SECONDS,
      measureOne: (key, seconds) => {
        const load = loads[key];
        return measureWithWrk(load.server, load.work, seconds);
      },
    });
    const of = (/** @type {string} */ kind) =>
      mean(Object.entries(samples).flatMap(([key, one]) => (key.startsWith(kind) ? [one] : [])));
    results[name] = { site: of("site"), bare: of("bare") };
    console.log(name, "under wrk", JSON.stringify(results[name]));
  }
  return results;
}

/**
 * The requests to measure, each with the response that the bare server sends; null if a bare server has no
 * equivalent.
 * @param {string} origin
 * @param {number} [size]
 * @returns {Promise<{ name: string, work: import("./load.mjs").Work, reference: (() => Promise<Response>) | null }[]>}
 */
async function describeCases(origin, size = SIZES[0] ?? 1000) {
  const own = { Origin: origin, "Sec-Fetch-Site": "same-origin" };
  const json = { ...own, "Content-Type": "application/json" };
  const raw = (/** @type {string} */ path, /** @type {Record<string, string>} */ headers) => () =>
    rawGet(origin + path, headers);
  const { cookie } = await signUp(origin);
  const etag =
    (await fetch(`${origin}/`, { headers: { "Accept-Encoding": "br" } })).headers.get("etag") ?? "";
  const html = await (await fetch(`${origin}/`)).text();
  const asset = /\/build\/[\w/-]+\.js/.exec(html)?.[0] ?? "/favicon.svg";
  let count = 0;
  const user = () => 1 + (count++ % size);

  /** @type {[string, string, Record<string, string>, number[]][]} */
  const gets = [
    ["landing-identity", "/", { "Accept-Encoding": "identity" }, [200]],
    ["landing-brotli", "/", { "Accept-Encoding": "br" }, [200]],
    ["landing-304", "/", { "Accept-Encoding": "br", "If-None-Match": etag }, [304]],
    ["landing-signed-in", "/", { "Accept-Encoding": "identity", Cookie: cookie }, [200]],
    ["auth-brotli", "/auth", { "Accept-Encoding": "br" }, [200]],
    ["asset-brotli", asset, { "Accept-Encoding": "br" }, [200]],
  ];
  return [
    ...gets.map(([name, path, headers, statuses]) => ({
      name,
      work: { path, headers, statuses },
      reference: raw(path, headers),
    })),
    {
      name: "log-in",
      work: {
        path: "/auth/login",
        method: "POST",
        headers: json,
        connections: 8,
        statuses: [200],
        next: () => ({
          body: JSON.stringify({ email: `user-${user()}@bench.test`, password: PASSWORD }),
        }),
      },
      reference: null,
    },
    {
      name: "newsletter",
      work: {
        path: "/newsletter",
        method: "POST",
        headers: json,
        statuses: [200],
        next: () => ({ body: JSON.stringify({ email: `${randomUUID()}@bench.test` }) }),
      },
      reference: null,
    },
    {
      name: "webhook",
      work: {
        path: "/webhooks/stripe",
        method: "POST",
        headers: { "Content-Type": "application/json" },
        statuses: [200],
        next: signedEvent,
      },
      reference: null,
    },
  ];
}

/**
 * Measures the landing page at a constant rate, first alone, then while log-ins fill the password queue.
 *
 * @param {{ pid: number, origin: string }} site
 */
async function measureUnderFlood(site) {
  const landing = {
    path: "/",
    headers: { "Accept-Encoding": "br" },
    statuses: [200],
    connections: 4,
    rate: 200,
  };
  const idle = [];
  const flooded = [];
  for (let round = 0; round <= ROUNDS; round++) {
    // let the queues of earlier rounds drain
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const alone = await measure(site, landing, SECONDS);
    const flood = startFlood(site, SECONDS + 2);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const beside = await measure(site, landing, SECONDS);
    await flood;
    // the first round only warms up
    if (round > 0) {
      idle.push(alone);
      flooded.push(beside);
    }
  }
  const result = { idle: medians(idle), flooded: medians(flooded) };
  console.log("landing under a log-in flood", JSON.stringify(result));
  return result;
}
