import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConnection, send } from "../support/http-client";
import { pathologicalAddresses } from "../support/pathological/addresses";
import { pathologicalBodies } from "../support/pathological/bodies";
import { pathologicalCookies, pathologicalHeaders } from "../support/pathological/headers";
import { bytesOf, fill, type PathologicalRequest, request } from "../support/pathological/request";
import { freePorts } from "../support/ports.mjs";
import { type ProgramSite, startProgramSite } from "../support/program-site";

/** The number of page renderings for which a request may block others; a page takes about four milliseconds. */
const MAX_PAGES = 15;

/** Retries, since a garbage collection or first compilation is not the request's fault. */
const TRIES = 3;

/** Requests sent in succession before the delay is read; each is sent again alone only if it was too long. */
const BATCH = 20;

const PROJECT = resolve(import.meta.dirname, "../..");
const PROBE = pathToFileURL(resolve(import.meta.dirname, "../support/event-loop-delay.mjs"));

let site: ProgramSite;
let cookie: string;
let probe: string;
let host: string;
/** How long a request may block all others, in milliseconds of processor time. */
let maxDelay: number;

beforeAll(async () => {
  const port = await freePorts(1);
  probe = `http://127.0.0.1:${port}`;
  site = await startProgramSite({
    NODE_OPTIONS: `--import=${PROBE}?port=${port}`,
    PAYMENTS: "sandbox",
    // a forged signature is checked against each of them
    SESSION_SECRET: ["first", "second", "third"]
      .map((which) => `the ${which} of the secrets that sign these cookies`)
      .join(","),
    TRUST_PROXY: "1",
    RATE_LIMIT_FACTOR: "1000000",
    LOG_LEVEL: "info",
  });
  host = new URL(site.origin).host;
  const visitor = site.visitor();
  await visitor.signUp("reader@example.test");
  cookie = visitor.cookie;
  for (let warmUp = 0; warmUp < 30; warmUp++) await visitor.get("/auth/forgot-password");
  await longestDelay();
  for (let page = 0; page < 10; page++) await visitor.get("/auth/forgot-password");
  maxDelay = MAX_PAGES * (await longestDelay());
});
afterAll(() => site?.close());

/** The longest delay of the program's event loop since the last call, in milliseconds. */
async function longestDelay(): Promise<number> {
  return Number((await send(probe)).text);
}

/** Sends bytes over a new connection, and waits until the program has closed it. */
async function converse(bytes: Buffer): Promise<void> {
  const connection = await openConnection(site.origin);
  connection.write(bytes);
  await connection.ended;
}

/** The shortest of several delays of the event loop caused by these bytes, in milliseconds. */
async function delayBy(bytes: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least > maxDelay; attempt++) {
    await longestDelay();
    await converse(bytes);
    least = Math.min(least, await longestDelay());
  }
  return least;
}

async function expectNoDelay(requests: PathologicalRequest[]): Promise<void> {
  const tooSlow: string[] = [];
  for (let at = 0; at < requests.length; at += BATCH) {
    const batch = requests.slice(at, at + BATCH).map((asked) => ({
      name: asked.name,
      bytes: bytesOf(asked, { host }),
    }));
    await longestDelay();
    for (const { bytes } of batch) await converse(bytes);
    if ((await longestDelay()) <= maxDelay) continue;
    for (const { name, bytes } of batch) {
      const delay = await delayBy(bytes);
      if (delay > maxDelay) tooSlow.push(`${name}: ${Math.round(delay)} ms`);
    }
  }
  expect(tooSlow).toEqual([]);
  expect(requests.length).toBeGreaterThan(30);
}

describe("no request blocks the others for longer than some pages, whatever is in", {
  timeout: 300_000,
}, () => {
  it("its path and query", async () => {
    const manifest = readdirSync(resolve(PROJECT, "public/build")).find((name) =>
      /^manifest-\w+\.js$/.test(name),
    );
    const version = /-(\w+)/.exec(manifest ?? "")?.[1]?.toLowerCase() ?? "";
    await expectNoDelay(pathologicalAddresses({ origin: site.origin, cookie, version }));
  });

  it("its headers", () => expectNoDelay(pathologicalHeaders()));

  it("its cookies", () => expectNoDelay(pathologicalCookies({ cookie })));

  it("its body", () => expectNoDelay(pathologicalBodies({ cookie })));
});

describe("a full batch of pipelined requests blocks the others for no longer than some pages", () => {
  const header = (name: string, value: string) => ({
    headers: [[name, value]] as [string, string][],
  });

  it.each([
    request("rejected", { target: fill(15_500, "", "/a") }),
    request("cached pages", header("Accept-Encoding", fill(15_500, "br,", " ", "x"))),
    request("cached pages they may have", header("If-None-Match", fill(15_500, "", '"a",'))),
    request("cached pages, with cookies", header("Cookie", fill(15_500, "", "xsession=;"))),
    request("files", { ...header("If-None-Match", fill(15_500, "", ",")), target: "/favicon.ico" }),
    request("pages", { ...header("Cookie", fill(15_500, "session=a;", "a=b;")), target: "/auth" }),
    request("what does not exist", { target: fill(512, "", "/a") }),
  ])("$name", async (asked) => {
    const kept = bytesOf(asked, { host, keepAlive: true });
    const all = Buffer.concat([...Array(31).fill(kept), bytesOf(asked, { host })]);
    expect(await delayBy(all)).toBeLessThanOrEqual(maxDelay);
  });
});
