/**
 * `npm run lighthouse`: measures the built site on Lighthouse's emulated phone, five times per page. Prints the median
 * scores, the audits that cost points, and paint times. Exits with 1 if a score is below its floor, or if scripts block
 * the page for too long.
 *
 * The photographs come from a local stand-in for their host, so that the pages are complete and the scores do
 * not depend on an external server.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import lighthouse from "lighthouse";
import { findChromium, launchChromium } from "../support/browsers/chromium.mjs";
import { startBuiltDemo } from "../support/built-demo.mjs";
import { median } from "../support/median.mjs";
import { freePorts } from "../support/ports.mjs";
import { control } from "../support/screen-visitors.mjs";

const RUNS = 5;

/** How long scripts may block the page until it is interactive, in milliseconds. */
const MAX_BLOCKING_MS = 50;

/** Figures that are printed, by Lighthouse's name for them. */
const TIMES = {
  "total-blocking-time": "blocked",
  "first-contentful-paint": "first paint",
  "largest-contentful-paint": "largest paint",
};

/** How often a page may be measured again if the browser recorded nothing. */
const FAILURES_ALLOWED = 3;

const PHOTO_HOST = "images.unsplash.com";

const FLOORS = { performance: 100, accessibility: 100, "best-practices": 100 };
const CHAPTER = "/premium/chapters/the-weight-you-carry";
const PAGES = [
  { path: "/", floors: { ...FLOORS, seo: 100 }, forMembers: false },
  // kept out of search results on purpose
  { path: "/auth", floors: FLOORS, forMembers: false },
  { path: CHAPTER, floors: FLOORS, forMembers: true },
];

/** Words of the chapter, far more than in any chapter of the sample edition. */
const CHAPTER_WORDS = 5_000;

process.env.CHROMIUM_PATH = await findChromium();
const photos = await startPhotoHost();
const edition = longEdition();
const site = await startBuiltDemo({ RATE_LIMIT_FACTOR: "1000", CONTENT_DIR: edition });
const debuggingPort = await freePorts(1);
const browser = await launchChromium({
  args: [
    `--remote-debugging-port=${debuggingPort}`,
    `--host-resolver-rules=MAP ${PHOTO_HOST}:443 127.0.0.1:${photos.port}`,
    "--ignore-certificate-errors",
  ],
});
try {
  const cookie = await newMember();
  for (const page of PAGES) await judge({ ...page, cookie: page.forMembers ? cookie : "" });
} finally {
  await browser.close();
  await site.stop();
  photos.close();
  rmSync(edition, { recursive: true });
}

/** The sample edition with one chapter as long as several, in its own folder. */
function longEdition() {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-edition-"));
  const sample = fileURLToPath(
    new URL("../../app/features/library/sample-edition", import.meta.url),
  );
  cpSync(sample, folder, { recursive: true });
  const chapters = readdirSync(join(folder, "chapters")).sort();
  const texts = chapters
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(folder, "chapters", name), "utf8"));
  const [name = ""] = chapters.filter((name) => CHAPTER.endsWith(name.replace(/^\d+-|\.md$/g, "")));
  let text = readFileSync(join(folder, "chapters", name), "utf8");
  for (let at = 0; text.split(/\s+/).length < CHAPTER_WORDS; at = (at + 1) % texts.length) {
    const body = texts[at]?.split(/^---$/m)[2] ?? "";
    // footnotes' names are unique only within a chapter
    text += body.replace(/\[\^[^\]]+\](?::.*)?/g, "");
  }
  writeFileSync(join(folder, "chapters", name), text);
  return folder;
}

async function newMember() {
  /** @type {Record<string, string>} */
  const headers = { Origin: site.origin, "Content-Type": "application/json" };
  const post = (/** @type {string} */ path, /** @type {object} */ fields) =>
    fetch(site.origin + path, { method: "POST", headers, body: JSON.stringify(fields) });
  const signedUp = await post("/auth/signup", {
    email: "reader@example.test",
    password: "a long walk",
  });
  headers.Cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const landing = await (await fetch(`${site.origin}/`, { headers })).text();
  const priceId = /name="priceId" value="(\w+)"/.exec(landing)?.[1];
  const { sessionId } = await (await post("/checkout", { priceId })).json();
  await control(site, `sessions/${sessionId}/pay`, {});
  await control(site, "webhooks/settle", {});
  const chapter = await fetch(site.origin + CHAPTER, { headers, redirect: "manual" });
  if (chapter.status !== 200) throw new Error(`${CHAPTER} was answered with ${chapter.status}.`);
  return headers.Cookie;
}

/** @param {{ path: string, floors: Record<string, number>, cookie: string }} page */
async function judge({ path, floors, cookie }) {
  /** @type {import("lighthouse").Result[]} */
  const runs = [];
  let failures = 0;
  while (runs.length < RUNS) {
    const result = await lighthouse(site.origin + path, {
      port: debuggingPort,
      logLevel: "error",
      onlyCategories: Object.keys(floors),
      ...(cookie && { extraHeaders: { Cookie: cookie } }),
    });
    const problem = result ? result.lhr.runtimeError?.message : "Lighthouse gave no result.";
    if (result && problem === undefined) {
      runs.push(result.lhr);
    } else if (failures++ < FAILURES_ALLOWED) {
      // on a busy machine the browser sometimes records no frame at all
      console.log(`${path}: measured again, because ${problem}`);
    } else {
      throw new Error(problem);
    }
  }
  console.log(`\n${path}`);
  for (const [category, floor] of Object.entries(floors)) {
    const scores = runs.map((run) => scoreOf(run, category)).sort((a, b) => a - b);
    const score = median(scores);
    const good = score >= floor;
    if (!good) process.exitCode = 1;
    console.log(
      `  ${good ? "✔" : "✘"} ${category.padEnd(15)} ${String(score).padStart(3)}  (at least ${floor}; runs ${scores.join(", ")})`,
    );
    const run = runs.find((run) => scoreOf(run, category) === score);
    if (run && score < 100) {
      for (const line of costsOf(run, category)) console.log(`      ${line}`);
    }
  }
  const times = Object.entries(TIMES).map(([audit, name]) => {
    const time = median(runs.map(({ audits }) => audits[audit]?.numericValue ?? Infinity));
    return { audit, time, text: `${name} ${Math.round(time)} ms` };
  });
  const blocked = times.find(({ audit }) => audit === "total-blocking-time")?.time ?? Infinity;
  if (blocked >= MAX_BLOCKING_MS) process.exitCode = 1;
  console.log(
    `  ${blocked < MAX_BLOCKING_MS ? "✔" : "✘"} ${times.map(({ text }) => text).join(", ")}  (blocked less than ${MAX_BLOCKING_MS} ms)`,
  );
}

/**
 * A category's score, from 0 to 100.
 *
 * @param {import("lighthouse").Result} run
 * @param {string} category
 */
function scoreOf({ categories }, category) {
  return Math.round((categories[category]?.score ?? 0) * 100);
}

/**
 * A line of an audit's table, with the fields that explain the lost points.
 *
 * @typedef {{ node?: { snippet?: string }, description?: string, url?: string }} TableLine
 */

/**
 * The audits that cost a category points, with their details.
 *
 * @param {import("lighthouse").Result} run
 * @param {string} category
 */
function costsOf({ categories, audits }, category) {
  return (categories[category]?.auditRefs ?? [])
    .map(({ id, weight }) => ({ audit: audits[id], weight }))
    .filter(({ audit, weight }) => weight > 0 && audit?.score != null && audit.score < 1)
    .map(({ audit }) => {
      const items = audit?.details && "items" in audit.details ? audit.details.items : [];
      const lines = /** @type {TableLine[]} */ (Array.isArray(items) ? items : []);
      const what = lines
        .slice(0, 3)
        .map((item) => item.node?.snippet ?? item.description ?? item.url ?? "")
        .join(" ");
      return `${audit?.id} ${audit?.displayValue ?? ""} ${what}`.trimEnd();
    });
}

/** A stand-in for the photo host that serves the cover's drawing as a photograph of the requested size. */
async function startPhotoHost() {
  const painter = await launchChromium();
  const page = await painter.newPage();
  const cover = readFileSync(
    fileURLToPath(new URL("../../app/features/landing/art/cover.svg", import.meta.url)),
    "base64",
  );
  await page.setContent(
    `<style>* { margin: 0 } img { width: 100vw; height: 100vh; object-fit: cover }</style>
     <img src="data:image/svg+xml;base64,${cover}">`,
  );
  /** @type {Map<string, Promise<Buffer>>} */
  const painted = new Map();
  let turn = Promise.resolve();
  const paint = (/** @type {string} */ size) => {
    const [width = 480, height = 720] = size.split("x").map(Number);
    const picture = turn.then(async () => {
      await page.setViewportSize({ width, height });
      return page.screenshot({ type: "jpeg", quality: 75 });
    });
    turn = picture.then(() => {});
    painted.set(size, picture);
    return picture;
  };
  const server = createHttpsServer(throwAwayCertificate(), async (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", `https://${PHOTO_HOST}`);
    const size = `${searchParams.get("w")}x${searchParams.get("h")}`;
    const picture = await (painted.get(size) ?? paint(size));
    response.writeHead(200, {
      "Content-Type": "image/jpeg",
      "Content-Length": picture.length,
      "Cache-Control": "public, max-age=31536000",
      "Cross-Origin-Resource-Policy": "cross-origin",
    });
    response.end(picture);
  });
  const port = await freePorts(1);
  await new Promise((listening) => server.listen(port, "127.0.0.1", () => listening(null)));
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
      return painter.close();
    },
  };
}

/** A key and a self-signed certificate for one run. Throws if there is no openssl. */
function throwAwayCertificate() {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-certificate-"));
  try {
    const { status, error } = spawnSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"],
        ...["-keyout", "key.pem", "-out", "certificate.pem", "-subj", `/CN=${PHOTO_HOST}`],
      ],
      { cwd: folder, stdio: "ignore" },
    );
    if (status !== 0) throw new Error(`A certificate needs openssl: ${error?.message ?? status}.`);
    return {
      key: readFileSync(join(folder, "key.pem")),
      cert: readFileSync(join(folder, "certificate.pem")),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
