import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, type AttackedSite, startAttackedSite } from "../support/attacked-site";
import { openNetworkNamespace } from "../support/network-namespace";

const ONE = ["198.18.5.1"];
/** Six addresses of one /64. */
const LINE = [1, 2, 3, 4, 5, 6].map((i) => `2001:db8:a:1::${i}`);
const VISITOR = "198.18.101.1";

/** How much longer a page may take while another network attacks, in milliseconds. */
const LONGER_MS = 250;

const PASSWORD = "a long walk";

const made = await openNetworkNamespace([...ONE, ...LINE, VISITOR]);
const skipped = "reason" in made ? ` (skipped: ${made.reason})` : "";

let site: AttackedSite;
/** The average time of a page without an attack, in milliseconds. */
let quietMs: number;

beforeAll(async () => {
  if (!("namespace" in made)) return;
  site = await startAttackedSite(made.namespace, [VISITOR]);
  await site.visitor(VISITOR).signUp("reader@example.test", PASSWORD);
  await pageTime();
  quietMs = await pageTime();
});
afterAll(async () => {
  await site?.close();
  if ("namespace" in made) made.namespace.close();
});

/** The average time of a page that is rendered for each visitor, in milliseconds. */
async function pageTime(times = 20): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < times; i++) {
    expect((await site.visitor(VISITOR).get("/auth/forgot-password")).status).toBe(200);
  }
  return (performance.now() - startedAt) / times;
}

describe.skipIf("reason" in made)(`a visitor of another network is served${skipped}`, () => {
  it.each<[string, Attack]>([
    ["500 slow connections", { kind: "connections", addresses: ONE, concurrency: 500 }],
    ["500 connections that ask for pages", { kind: "pages", addresses: ONE, concurrency: 500 }],
    ["pipelined requests", { kind: "pipelines", addresses: ONE, concurrency: 200 }],
    ["a flood of log-ins", { kind: "log-ins", addresses: ONE, concurrency: 200 }],
    ["slow connections of a /64", { kind: "connections", addresses: LINE, concurrency: 2_200 }],
    ["page requests of a /64", { kind: "pages", addresses: LINE, concurrency: 600 }],
  ])("beside %s", async (_attack, attack) => {
    const running = site.attack(attack);
    try {
      // pipelining connections are closed at once
      const connected = attack.kind === "pipelines" ? 2 : Math.min(150, 0.8 * attack.concurrency);
      await expect.poll(() => site.metric("http_connections")).toBeGreaterThanOrEqual(connected);
      expect(await pageTime()).toBeLessThan(quietMs + LONGER_MS);
      expect((await site.visitor(VISITOR).get("/")).status).toBe(200);
      const json = { email: "reader@example.test", password: PASSWORD };
      const { status } = await site.visitor(VISITOR).post("/auth/login", { json });
      expect(status).toBe(200);
    } finally {
      await running.stop();
    }
  });
});
