import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { median } from "../support/median.mjs";
import { costliest, drawFlameGraph } from "./flame-graph.mjs";
import { project } from "./processes.mjs";
import { PROCESSES } from "./wrk.mjs";

const NAMES = {
  "landing-identity": "landing page, anonymous, identity",
  "landing-brotli": "landing page, anonymous, brotli",
  "landing-304": "landing page, anonymous, 304",
  "landing-signed-in": "landing page, signed in",
  "auth-brotli": "`/auth`, anonymous, brotli",
  "asset-brotli": "a built script, brotli",
  "log-in": "log in",
  newsletter: "newsletter post",
  webhook: "webhook post",
};

/**
 * The results of a run.
 *
 * @typedef {import("./load.mjs").Sample} Sample
 * @typedef {{ site: Sample, bare?: Sample, plain?: Sample }} Served a request, by server
 * @typedef {Served & { name: string, underWrk?: Served }} Compared
 * @typedef {{ name: string, bySize: (Sample & { size: number })[] }} Grown a request, by the number of users in the database
 * @typedef {object} Run
 * @property {number} rounds
 * @property {number} seconds
 * @property {Compared[]} compared
 * @property {Grown[]} grown
 * @property {{ idle: Sample, flooded: Sample }} flood
 * @property {number} restMemory of the Node process, before the first request, in megabytes
 * @property {number} peakMemory of any Node process, in megabytes
 * @property {number | null} databaseMemory of the server of all databases, in megabytes
 * @property {{ size: number, bytes: number }[]} sizes of the databases on disk
 */

/**
 * Writes the table and the plot into docs/performance.md, in place of the last run's.
 *
 * @param {Run} run
 */
export function writeReport(run) {
  writeFileSync(join(project, "docs/performance.svg"), plot(run));
  writeSection("measured", tables(run));
  console.log(`Written to docs/performance.md. Peak memory ${run.peakMemory.toFixed(0)} MB.`);
}

/**
 * Writes how the newsletter was sent into docs/performance.md, in place of the last run's.
 *
 * @param {import("./newsletter.mjs").NewsletterRun} run
 */
export function writeNewsletterReport({ mails, bytes, rounds }) {
  const of = (/** @type {(round: import("./newsletter.mjs").Round) => number} */ figure) =>
    median(rounds.map(figure));
  const rows = /** @type {const} */ (["ours", "bare"]).map((key) =>
    row([
      key === "ours" ? "the site" : "a loop around nodemailer",
      whole(of((round) => round[key].rate)),
      key === "ours" ? of(({ ratio }) => ratio).toFixed(2) : "",
      of((round) => round[key].cpu).toFixed(2),
      of((round) => round[key].sinkCpu).toFixed(2),
    ]),
  );
  const [early, late] = [0, 1].map((third) => of(({ memory }) => memory[third] ?? 0).toFixed(0));
  writeSection(
    "newsletter",
    `Median of ${rounds.length} rounds of ${whole(mails)} mails of ${(bytes / 1000).toFixed(0)} KB each, one loop before the issue
and one after it; ${machine()}; sender, SMTP server and PostgreSQL share the machine. CPU in milliseconds per
mail, of the sending process and of the SMTP server.

${row(["sender", "mails/s", "beside the loop", "CPU", "of the SMTP server"])}
${row(["---", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}

Meanwhile the landing page's p99 at 50 requests/s is ${latency(of(({ sendingP99 }) => sendingP99))} ms; before it was ${latency(of(({ idleP99 }) => idleP99))} ms. The process holds
${early} MB in the first third of an issue and ${late} MB in the last.
`,
  );
}

/**
 * A page by the server that sent it: the site, and remix-serve with the same build and with that of another release;
 * `underWrk` is the site again.
 *
 * @typedef {{ name: string, site?: Sample, plain?: Sample, before?: Sample, underWrk?: Sample }} SignedIn
 */

const SIGNED_IN_PAGES = {
  "landing-signed-in": "landing page",
  "landing-member": "landing page, of a member",
  premium: "`/premium`",
  "landing-signed-in-brotli": "landing page, compressed",
  "premium-brotli": "`/premium`, compressed",
  chapter: "a chapter",
  account: "`/account`",
};

/**
 * Writes how fast signed-in viewers get their pages into docs/performance.md, in place of the last run's.
 *
 * @param {{ rounds: number, seconds: number, pages: SignedIn[] }} run
 */
export function writeSignedInReport({ rounds, seconds, pages }) {
  const cpu = (/** @type {Sample | undefined} */ sample) => sample?.cpu?.toFixed(2) ?? "";
  const times = (
    /** @type {Sample | undefined} */ site,
    /** @type {Sample | undefined} */ other,
  ) =>
    site?.cpu && other?.cpu
      ? `${ratio(site.rate, other.rate)} (${ratio(other.cpu, site.cpu)})`
      : "";
  const rows = pages.map(({ name, site, plain, before, underWrk }) =>
    row([
      SIGNED_IN_PAGES[/** @type {keyof typeof SIGNED_IN_PAGES} */ (name)] ?? name,
      whole(site?.rate ?? 0),
      underWrk ? whole(underWrk.rate) : "",
      cpu(site),
      cpu(plain),
      cpu(before),
      times(site, plain),
      times(site, before),
      String([site, plain, before, underWrk].reduce((sum, one) => sum + (one?.wrong ?? 0), 0)),
    ]),
  );
  writeSection(
    "signed-in",
    `Median of ${rounds} interleaved rounds of ${seconds} s; ${machine()}; load generator, servers and PostgreSQL share
the machine. CPU in milliseconds of the Node process per page; "times" of requests/s, and in brackets of CPU saved. Under
wrk, where it is installed, the generator leaves more of the machine to the server.

${row(["page", "requests/s", "under wrk", "CPU", "of remix-serve", "of the release before", "times remix-serve", "times the release before", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}
`,
  );
}

const LIBRARY_PAGES = {
  chapter: "a chapter",
  contents: "the contents",
  overview: "`/premium`",
  "landing-member": "landing page, signed in",
};

/**
 * Writes how a large edition did beside a small one into docs/performance.md, in place of the last run's.
 *
 * @param {import("./library.mjs").LibraryRun} run
 */
export function writeLibraryReport({ rounds, seconds, members, starts, pages, searches, book }) {
  const { first, known, changed } = starts;
  const pageRows = pages.map(({ name, small, large }) =>
    row([
      LIBRARY_PAGES[/** @type {keyof typeof LIBRARY_PAGES} */ (name)] ?? name,
      whole(small.rate),
      whole(large.rate),
      ratio(small.rate, large.rate),
      ratio(large.cpu ?? 0, small.cpu ?? 1),
      String(small.wrong + large.wrong),
    ]),
  );
  const searchRows = searches.map(({ name, sample }) =>
    row([name, latencies(sample), String(sample.wrong)]),
  );
  writeSection(
    "library",
    `${machine()}; load generator, site and PostgreSQL share the machine. A site on an edition of 1,000 chapters and 2,000
extras that it knows answers after ${known.ready.toFixed(1)} s and serves the edition after ${known.served.toFixed(1)} s, with ${known.cpu.toFixed(1)} s of CPU in all;
one that sees it for the first time after ${first.ready.toFixed(1)} s and ${first.served.toFixed(1)} s, with ${first.cpu.toFixed(1)} s. A changed text is served after
${changed.served.toFixed(1)} s, at least 2 of which are waiting for quiet, with ${changed.cpu.toFixed(1)} s of CPU. The event loop was never blocked for longer
than ${whole(known.blocked)} ms at a start, ${whole(first.blocked)} ms at the first import, ${whole(changed.blocked)} ms at the change, and ${whole(book.blocked)} ms while the book for
e-readers was made, which took ${book.seconds.toFixed(1)} s and has ${book.megabytes.toFixed(1)} MB.

Median of ${rounds} interleaved rounds of ${seconds} s over 8 connections, of a member with progress and notes, as ${whole(members)} members
of the large edition have:

${row(["page", "requests/s, 18 texts", "3,000 texts", "times slower", "times the CPU", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:"])}
${pageRows.join("\n")}

${row(["search in 3,000 texts", "p50 / p99 in ms", "off"])}
${row(["---", "--:", "--:"])}
${searchRows.join("\n")}
`,
  );
}

const POSTS = {
  newsletter: "newsletter",
  "log-in": "log in",
  notes: "a member's notes",
  webhook: "webhook",
};

/**
 * Writes how posts did beside a bare server into docs/performance.md, in place of the last run's.
 *
 * @param {import("./posts.mjs").PostsRun} run
 */
export function writePostsReport({ rounds, seconds, posts, hashers }) {
  const rows = posts.map(({ name, site, bare, ratio }) =>
    row([
      POSTS[/** @type {keyof typeof POSTS} */ (name)] ?? name,
      whole(site.rate),
      whole(bare.rate),
      ratio.toFixed(2),
      latencies(site),
      (site.cpu ?? 0).toFixed(2),
      (bare.cpu ?? 0).toFixed(2),
      String(site.wrong + bare.wrong),
    ]),
  );
  const { plain, asTheSite } = hashers;
  const moreRounds = plain.site.length;
  writeSection(
    "posts",
    `Median of ${rounds} interleaved rounds of ${seconds} s, ${moreRounds} for log-ins and webhooks, and of the ratio in each; ${machine()}; load generator,
servers and PostgreSQL share the machine. Latencies in milliseconds; CPU in milliseconds per post, of the site's process and of
the bare server's.

${row(["post", "requests/s", "bare server", "ratio", "p50 / p99", "CPU", "of the bare server", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}

Bare Node verifies ${whole(plain.rate)} passwords a second: log-ins reach ${spread(plain.site)} of that, the bare server's ${spread(plain.bare)}.
With the site's settings of malloc, and keeping what hashes leave behind as the site does, it verifies ${whole(asTheSite.rate)}: log-ins reach ${spread(asTheSite.site)}
of that, the bare server's ${spread(asTheSite.bare)}.
`,
  );
}

/** The median, and the half of all that is around it. @param {number[]} ratios */
function spread(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) =>
    (sorted[Math.round(part * (sorted.length - 1))] ?? 0).toFixed(2);
  return `${median(ratios).toFixed(2)} (half of the rounds ${at(0.25)} to ${at(0.75)})`;
}

const PROFILES = {
  page: { title: "A member's landing page", file: "flame-graph-page.svg" },
  chapter: { title: "A chapter", file: "flame-graph-chapter.svg" },
  account: { title: "The account page", file: "flame-graph-account.svg" },
  post: { title: "A newsletter post", file: "flame-graph-post.svg" },
};

/**
 * Writes the flame graphs and the functions that cost most into docs/, in place of the last run's.
 *
 * @param {Record<keyof typeof PROFILES, import("./profile.mjs").Profiled>} profiles
 */
export function writeProfileReport(profiles) {
  const parts = Object.entries(PROFILES).map(([key, { title, file }]) => {
    const { stacks, sample } = profiles[/** @type {keyof typeof PROFILES} */ (key)];
    writeFileSync(join(project, "docs", file), drawFlameGraph(stacks, { title }));
    const rows = costliest(stacks)
      .slice(0, 12)
      .map(({ name, place, part }) =>
        row([`\`${name}\``, place && `\`${place}\``, `${(part * 100).toFixed(1)} %`]),
      );
    return `${title}, ${whole(sample.rate)} a second under the profiler:

![${title}: where the CPU time goes](${file})

${row(["costs most by itself", "in", "of the CPU time"])}
${row(["---", "---", "--:"])}
${rows.join("\n")}
`;
  });
  writeSection("profiles", parts.join("\n"));
}

/**
 * Puts a text between the markers of this name.
 *
 * @param {string} name
 * @param {string} section
 */
function writeSection(name, section) {
  const file = join(project, "docs/performance.md");
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(file, "utf8");
  const [head = ""] = text.split(begin);
  const tail = text.split(end)[1] ?? "\n";
  writeFileSync(file, `${head}${begin}\n\n${section}\n${end}${tail}`);
  // aligns the tables' columns, without which `npm run lint` would fail after every run
  const biome = join(project, "node_modules/@biomejs/biome/bin/biome");
  spawnSync(process.execPath, [biome, "format", "--write", file], { stdio: "ignore" });
}

/** @param {Run} run */
function tables(run) {
  const { rounds, seconds, compared, grown, flood } = run;
  const rows = compared.map((one) =>
    row([
      nameOf(one.name),
      whole(one.site.rate),
      one.bare ? `${ratio(one.site.rate, one.bare.rate)} of bare Node` : "",
      one.plain ? `${ratio(one.site.rate, one.plain.rate)} of remix-serve` : "",
      latencies(one.site),
      one.bare ? latencies(one.bare) : "",
      one.site.cpu === null ? "" : one.site.cpu.toFixed(2),
      String(one.site.wrong),
    ]),
  );
  const sizes = run.sizes.map(({ size }) => size);
  const growth = grown.map(({ name, bySize }) =>
    row([
      nameOf(name),
      ...bySize.map(({ rate }) => `${whole(rate)} (${ratio(bySize[0]?.rate ?? rate, rate)}×)`),
    ]),
  );
  return `Median of ${rounds} interleaved rounds of ${seconds} s; ${machine()}; load generator, server and
PostgreSQL share the machine. Latencies in milliseconds; CPU in seconds of the Node process per 1,000
requests; "off" counts answers of an unexpected status.

${row(["request", "requests/s", "beside bare Node", "beside remix-serve", "p50 / p99", "of bare Node", "CPU", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}

${wrkTable(compared)}![Requests per second beside a bare Node server, and by the size of the database](performance.svg)

Requests/s by the number of users and of subscribers, and in brackets how many times slower than the first:

${row(["request", ...sizes.map((size) => size.toLocaleString("en"))])}
${row(["---", ...sizes.map(() => "--:")])}
${growth.join("\n")}
${row(["size on disk", ...run.sizes.map(({ bytes }) => `${whole(bytes / 1_000_000)} MB`)])}

While log-ins fill the password queue, the landing page's p99 at 200 requests/s is ${latency(flood.flooded.p99)} ms; alone it
is ${latency(flood.idle.p99)} ms. The Node process held ${whole(run.restMemory)} MB before the first request, and ${whole(run.peakMemory)} MB at
most in all of this${run.databaseMemory === null ? "" : `; PostgreSQL ${whole(run.databaseMemory)} MB at the end, for all of these databases and with its cache`}.
`;
}

/**
 * The same requests under wrk; nothing where it was not installed.
 *
 * @param {Compared[]} compared
 */
function wrkTable(compared) {
  const rows = compared.flatMap(({ name, underWrk }) => {
    if (!underWrk?.bare) return [];
    const { site, bare } = underWrk;
    const wrong = String(site.wrong + bare.wrong);
    return [
      row([
        nameOf(name),
        whole(site.rate),
        whole(bare.rate),
        ratio(site.rate, bare.rate),
        site.cpu && bare.cpu ? ratio(site.cpu, bare.cpu) : "",
        latencies(site),
        wrong,
      ]),
    ];
  });
  if (rows.length === 0) return "";
  return `Under wrk, which leaves more of the machine to the server, of ${PROCESSES} processes of each by turns; "times the CPU" is
that of a request, in relation to bare Node's:

${row(["request", "requests/s", "bare Node", "ratio", "times the CPU", "p50 / p99", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}

`;
}

/**
 * Two groups of bars: the site relative to a bare server, and each database size relative to the smallest.
 *
 * @param {Run} run
 */
function plot({ compared, grown }) {
  const groups = [
    {
      title: "Requests per second, as a part of a bare Node server's with the same bytes",
      bars: compared.flatMap(({ name, site, bare }) =>
        bare ? [{ name: nameOf(name), part: site.rate / bare.rate }] : [],
      ),
    },
    {
      title: "Requests per second, as a part of those with the smallest database",
      bars: grown.flatMap(({ name, bySize: [first, ...larger] }) =>
        larger.map((sample) => ({
          name: `${nameOf(name)}, ${sample.size.toLocaleString("en")}`,
          part: sample.rate / (first?.rate ?? sample.rate),
        })),
      ),
    },
  ];
  const [width, line, left, head] = [720, 30, 270, 44];
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ part }) => part)));
  const scale = (width - left - 70) / most;
  let y = 0;
  const drawn = groups.map(({ title, bars }) => {
    const top = y;
    y += head + bars.length * line + 12;
    const rows = bars.map(({ name, part }, index) => {
      const at = top + head + index * line;
      return `<text x="${left - 10}" y="${at + 14}" text-anchor="end">${name.replaceAll("`", "")}</text>
<rect x="${left}" y="${at}" width="${(part * scale).toFixed(1)}" height="18" fill="#e9b44c"/>
<text x="${(left + part * scale + 6).toFixed(1)}" y="${at + 14}">${part.toFixed(2)}</text>`;
    });
    const one = (left + scale).toFixed(1);
    return `<text x="16" y="${top + 26}" font-weight="bold">${title}</text>
<line x1="${one}" x2="${one}" y1="${top + head - 6}" y2="${y - 12}" stroke="#8a5a0b" stroke-dasharray="3 3"/>
${rows.join("\n")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="13" fill="#211d18">
<rect width="${width}" height="${y}" fill="#fdf9f1"/>
${drawn.join("\n")}
</svg>
`;
}

const machine = () => `${cpus().length} cores, Node ${process.versions.node}`;
/** @param {string} name */
const nameOf = (name) => NAMES[/** @type {keyof typeof NAMES} */ (name)] ?? name;
/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;
/** @param {number} value */
const whole = (value) => Math.round(value).toLocaleString("en");
/** @param {number} ms */
const latency = (ms) => (ms < 10 ? ms.toFixed(1) : whole(ms));
/** @param {Sample} sample */
const latencies = ({ p50, p99 }) => `${latency(p50)} / ${latency(p99)}`;
/** @param {number} a @param {number} b */
const ratio = (a, b) => (a / b).toFixed(2);
