// Compares an edition of three thousand texts, which ten thousand members read, with one of twelve chapters: how a site
// starts on it, and how fast members get its pages. Both are asked in turn, in one run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePorts } from "../support/ports.mjs";
import { signUp } from "./accounts.mjs";
import { addReaders, createDatabase, makeMember } from "./databases.mjs";
import { interleave, measure, medians } from "./load.mjs";
import { cpuSeconds, project, startSite } from "./processes.mjs";

const MEMBERS = Number(process.env.BENCH_MEMBERS ?? 10_000);
const SIZES = {
  small: { chapters: 12, extras: 6, members: 10 },
  large: { chapters: 1_000, extras: 2_000, members: MEMBERS },
};

/** Texts that each member has read, and texts with notes. */
const READ = 60;
const NOTED = 12;

const WORDS_PER_TEXT = 900;

const FIRST = "/premium/chapters/chapter-1";

/** What members ask for, of both editions. */
const PAGES = {
  chapter: FIRST,
  contents: "/premium/chapters",
  overview: "/premium",
  "landing-member": "/",
};

const SEARCHES = {
  "a word of every text": "the",
  "a word of one text": "word7of1",
  "eight words": "path gate hill morning river stone lantern winter",
  "eight rare words": Array.from({ length: 8 }, (_, index) => `word${index}of1`).join(" "),
  "a phrase": '"the morning"',
  "words that are left out": "the -winter -stone",
};

/**
 * `start` in seconds of a site: until its port answers, until it serves the edition, and the CPU of both; `blocked` is
 * the longest time in milliseconds in which its event loop did nothing else, of CPU where the system tells.
 *
 * @typedef {{ ready: number, served: number, cpu: number, blocked: number }} Start
 * @typedef {import("./load.mjs").Sample} Sample
 * @typedef {{ name: string, small: Sample, large: Sample }} Page
 * @typedef {object} LibraryRun
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} members
 * @property {Record<"first" | "known" | "changed", Start>} starts
 * @property {Page[]} pages
 * @property {{ name: string, sample: Sample }[]} searches
 * @property {{ seconds: number, blocked: number, megabytes: number }} book
 */

/**
 * @param {{ dataDir: string, secret: string, rounds: number, seconds: number, keep: <S extends { stop: () => Promise<void> }>(server: S) => S }} options
 *   `dataDir` is that of a running site, whose database server is used
 * @returns {Promise<LibraryRun>}
 */
export async function measureLibrary({ dataDir, secret, rounds, seconds, keep }) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-library-"));
  try {
    const sites = [];
    for (const name of /** @type {const} */ (["small", "large"])) {
      const content = join(folder, name);
      writeEdition(content, SIZES[name]);
      const variables = {
        DATABASE_URL: await createDatabase(dataDir, `bench_library_${name}`),
        DATA_DIR: join(folder, `${name}-data`),
        CONTENT_DIR: content,
        SESSION_SECRET: secret,
      };
      sites.push({ name, content, variables, ...(await prepare(variables, SIZES[name].members)) });
    }
    const [small, large] = sites;
    if (!small || !large) throw new Error("There are no editions.");

    const { site: known, start: knownStart } = await startOn(large.variables, large.cookie);
    const changed = await takeChange(known, large);
    await known.stop();
    const served = {
      small: keep((await startOn(small.variables, small.cookie)).site),
      large: keep((await startOn(large.variables, large.cookie)).site),
    };
    const book = await makeBook(served.large, large.cookie);

    const pages = [];
    for (const [name, path] of Object.entries(PAGES)) {
      const cookies = { small: small.cookie, large: large.cookie };
      const samples = await interleave(/** @type {const} */ (["small", "large"]), {
        rounds,
        seconds,
        measureOne: (key, time) => {
          const headers = { Cookie: cookies[key] };
          return measure(served[key], { path, headers, statuses: [200], connections: 8 }, time);
        },
      });
      const page = { name, ...samples };
      console.log("library", JSON.stringify(page));
      pages.push(page);
    }

    const searches = [];
    for (const [name, words] of Object.entries(SEARCHES)) {
      const path = `/premium/search?q=${encodeURIComponent(words)}`;
      const work = { path, headers: { Cookie: large.cookie }, statuses: [200], connections: 1 };
      const samples = [];
      for (let round = 0; round <= rounds; round++) {
        const sample = await measure(served.large, work, round === 0 ? 1 : seconds);
        if (round > 0) samples.push(sample);
      }
      const search = { name, sample: medians(samples) };
      console.log("search", JSON.stringify(search));
      searches.push(search);
    }
    const starts = { first: large.start, known: knownStart, changed };
    return { rounds, seconds, members: MEMBERS, starts, pages, searches, book };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Lets a site import its edition for the first time, and fills its database with members who read.
 *
 * @param {Record<string, string>} variables
 * @param {number} members
 */
async function prepare(variables, members) {
  const { site, start } = await startOn(variables, null);
  const { email, cookie } = await signUp(site.origin);
  await makeMember(variables.DATABASE_URL ?? "", email);
  await addReaders(variables.DATABASE_URL ?? "", { members, read: READ, noted: NOTED });
  await site.stop();
  return { cookie, start };
}

/**
 * Starts a site, and waits until it serves its edition.
 *
 * @param {Record<string, string>} variables
 * @param {string | null} cookie of a member; without one, the preview of chapter 1 is asked for
 */
async function startOn(variables, cookie) {
  const startedAt = performance.now();
  const port = await freePorts(2);
  const site = await startSite(variables, {
    nodeFlags: [`--import=${join(project, "tests/support/event-loop-delay.mjs")}?port=${port}`],
  });
  const ready = secondsSince(startedAt);
  const path = cookie === null ? "/preview/chapter-1" : FIRST;
  await untilServed(site.origin + path, cookie, "");
  const served = secondsSince(startedAt);
  const cpu = cpuSeconds(site.pid) ?? 0;
  const blocked = await longestBlock(port);
  const start = { ready, served, cpu, blocked };
  console.log("start", JSON.stringify(start));
  return { site: { ...site, delayPort: port }, start };
}

/**
 * Changes a text of the edition, and waits until the site serves it.
 *
 * @param {{ pid: number, origin: string, delayPort: number }} site
 * @param {{ content: string, cookie: string }} edition
 * @returns {Promise<Start>}
 */
async function takeChange(site, { content, cookie }) {
  await longestBlock(site.delayPort);
  const before = cpuSeconds(site.pid) ?? 0;
  const startedAt = performance.now();
  const title = "A change";
  writeFileSync(
    join(content, "chapters/1-chapter-1.md"),
    textOf({ kind: "chapter", number: 1, title }),
  );
  await untilServed(site.origin + FIRST, cookie, title);
  const start = {
    ready: 0,
    served: secondsSince(startedAt),
    cpu: (cpuSeconds(site.pid) ?? 0) - before,
    blocked: await longestBlock(site.delayPort),
  };
  console.log("change", JSON.stringify(start));
  return start;
}

/**
 * @param {{ pid: number, origin: string, delayPort: number }} site
 * @param {string} cookie
 */
async function makeBook({ origin, delayPort }, cookie) {
  await longestBlock(delayPort);
  const startedAt = performance.now();
  const answer = await fetch(`${origin}/premium/book.epub`, { headers: { Cookie: cookie } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (answer.status !== 200) throw new Error(`The book was answered with ${answer.status}.`);
  const book = {
    seconds: secondsSince(startedAt),
    blocked: await longestBlock(delayPort),
    megabytes: bytes / 1e6,
  };
  console.log("book", JSON.stringify(book));
  return book;
}

/**
 * @param {string} url
 * @param {string | null} cookie
 * @param {string} words
 */
async function untilServed(url, cookie, words) {
  for (;;) {
    const answer = await fetch(url, {
      headers: cookie === null ? {} : { Cookie: cookie },
      redirect: "manual",
    });
    const text = await answer.text();
    if (answer.status === 200 && text.includes(words)) return;
    await pause(50);
  }
}

/**
 * The longest time since the last question, in milliseconds, in which a site's event loop was blocked.
 *
 * @param {number} port
 * @returns {Promise<number>}
 */
function longestBlock(port) {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, agent: false }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      resolve(Number(text));
    }).on("error", reject);
  });
}

/** @param {number} start */
const secondsSince = (start) => (performance.now() - start) / 1_000;

const WORDS =
  "the a of path gate hill morning river stone lantern winter summer walk slowly again and then with what you see from here is enough for today keep going home".split(
    " ",
  );

/**
 * @param {string} folder
 * @param {{ chapters: number, extras: number }} size
 */
function writeEdition(folder, { chapters, extras }) {
  for (const [kind, count] of /** @type {const} */ ([
    ["chapter", chapters],
    ["extra", extras],
  ])) {
    mkdirSync(join(folder, `${kind}s`), { recursive: true });
    for (let number = 1; number <= count; number++) {
      const title = `Text ${number}`;
      const file = join(folder, `${kind}s/${number}-${kind}-${number}.md`);
      writeFileSync(file, textOf({ kind, number, title }));
    }
  }
}

/**
 * A text of random words, always the same ones, some of which no other text has.
 *
 * @param {{ kind: "chapter" | "extra", number: number, title: string }} text
 */
function textOf({ kind, number, title }) {
  let state = number * 2_654_435_761 + (kind === "chapter" ? 1 : 2);
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const words = Array.from({ length: WORDS_PER_TEXT }, (_, index) => {
    if (index % 90 === 0) return `word${index / 90}of${kind === "chapter" ? number : -number}`;
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? "";
    return index % 40 === 7 ? `*${word}*` : word;
  });
  const paragraphs = Array.from({ length: 12 }, (_, index) => {
    const part = words.slice(index * 75, (index + 1) * 75).join(" ");
    return `${index === 6 ? "## The step\n\n" : ""}${part}.`;
  });
  const fields = [
    `title: ${title}`,
    `summary: What can be seen from ${number}.`,
    `order: ${number}`,
    kind === "extra" ? "kind: practice" : `public: ${number === 1}`,
  ];
  return `---\n${fields.join("\n")}\n---\n\n${paragraphs.join("\n\n")}\n`;
}
