import { Agent } from "node:http";
import { availableParallelism } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Answer, send } from "../support/http-client";
import { type ProgramSite, startProgramSite } from "../support/program-site";

const FLOOD_MS = 4_000;
/** More than a full password queue. */
const CONCURRENCY = 41 * Math.max(1, availableParallelism() - 1) + 60;

let site: ProgramSite;

beforeAll(async () => {
  site = await startProgramSite({ RATE_LIMIT_FACTOR: "100000", LOG_LEVEL: "error" });
});
afterAll(() => site?.close());

type Timed = { answer: Answer; ms: number };

async function timed(work: Promise<Answer>): Promise<Timed> {
  const startedAt = performance.now();
  const answer = await work;
  return { answer, ms: performance.now() - startedAt };
}

function percentile(times: Timed[], part: number): number {
  const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

it("a flood of log-ins beyond capacity is rejected, and everyone else is served", async () => {
  const visitor = site.visitor();
  await visitor.signUp("patient@example.test");
  await send(`${site.origin}/`);

  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const until = Date.now() + FLOOD_MS;
  const logIns: Timed[] = [];
  let longestQueue = 0;
  const flood = Array.from({ length: CONCURRENCY }, async (_, number) => {
    for (let i = 0; Date.now() < until; i++) {
      const json = { email: `nobody-${number}-${i}@example.test`, password: "guess" };
      const options = { json, agent, headers: { Origin: site.origin } };
      logIns.push(await timed(send(`${site.origin}/auth/login`, options)));
    }
  });
  const pages: Timed[] = [];
  while (Date.now() < until) {
    pages.push(await timed(send(`${site.origin}/`)));
    longestQueue = Math.max(longestQueue, await site.metric("password_hash_queue_length"));
    if (pages.length % 10 === 0) {
      pages.push(await timed(visitor.get("/auth/forgot-password")));
    }
  }
  await Promise.all(flood);
  agent.destroy();

  const rejected = logIns.filter(({ answer }) => answer.status === 503);
  const worked = logIns.filter(({ answer }) => answer.status === 401);
  expect(rejected.length + worked.length).toBe(logIns.length);
  expect(rejected.length).toBeGreaterThan(0);
  expect(worked.length).toBeGreaterThan(0);
  const [{ answer }] = rejected as [Timed];
  expect(answer.headers["retry-after"]).toBe("5");
  expect(JSON.parse(answer.text).toast).toEqual({
    title: "Sign in Failed",
    description: "The site is very busy. Please try again.",
    variant: "destructive",
  });
  // rejections do not wait for a free place in the queue
  expect(percentile(rejected, 0.5)).toBeLessThan(percentile(worked, 0.5));
  expect(longestQueue).toBeGreaterThan(1);
  expect(longestQueue).toBeLessThan(CONCURRENCY);

  // Only the order of magnitude, since these times include the clients' own work: pages do not wait for
  // passwords. `npm run bench` measures them.
  expect(pages.every(({ answer: { status } }) => status === 200)).toBe(true);
  expect(percentile(pages, 0.9)).toBeLessThan(percentile(worked, 0.5));

  // afterward the queue has capacity again
  await expect.poll(() => site.metric("password_hash_queue_length")).toBe(0);
  const next = await site.visitor().post("/auth/login", {
    json: { email: "patient@example.test", password: "a long walk" },
  });
  expect(next.status).toBe(200);
});

it("a rejected form without JavaScript keeps what was typed", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const email = "plain@example.test";
  const answers = await Promise.all(
    Array.from({ length: CONCURRENCY }, () =>
      send(`${site.origin}/auth/signup`, { form: { email, password: "a long walk" }, agent }),
    ),
  );
  agent.destroy();
  const rejected = answers.filter(({ status }) => status === 503);
  for (const { headers, text } of rejected) {
    expect(headers["retry-after"]).toBe("5");
    expect(text).toContain("The site is very busy. Please try again.");
  }
  const page = rejected.find(({ headers }) => headers["content-type"]?.startsWith("text/html"));
  expect(page?.text).toContain("Sign up Failed");
  expect(page?.text).toContain(`value="${email}"`);
  // exactly one of them got the account
  const signedUp = answers.filter(({ headers }) =>
    headers.location?.startsWith("/auth?signed-in="),
  );
  expect(signedUp).toHaveLength(1);
});
