import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import {
  type Attack,
  type AttackedSite,
  type Outcomes,
  startAttackedSite,
} from "../support/attacked-site";
import type { Visitor } from "../support/http-client";
import { openNetworkNamespace } from "../support/network-namespace";

const range = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i + 1));

/** Six addresses of one /64. */
const LINE = range(6, (i) => `2001:db8:a:1::${i}`);
/** 64 networks of one /48. */
const COMPANY = range(64, (i) => `2001:db8:b:${i}::1`);
/** 64 networks of another /48, whose log-ins are not counted yet. */
const OFFICES = range(64, (i) => `2001:db8:d:${i}::1`);
/** 64 addresses of one IPv4 /24. */
const STREET = range(64, (i) => `198.18.5.${i}`);

/** Each visitor has a network of their own, since log-ins are counted for a quarter of an hour. */
const VISITORS = {
  line: ["2001:db8:c1:1::1", "198.18.101.1"],
  company: ["2001:db8:c2:1::1", "198.18.102.1"],
  offices: ["2001:db8:c5:1::1", "198.18.105.1"],
  pages: ["2001:db8:c3:1::1", "198.18.103.1"],
  street: ["2001:db8:c4:1::1", "198.18.104.1"],
} as const;

const made = await openNetworkNamespace([
  ...LINE,
  ...COMPANY,
  ...OFFICES,
  ...STREET,
  ...Object.values(VISITORS).flat(),
]);
const skipped = "reason" in made ? ` (skipped: ${made.reason})` : "";

const PASSWORD = "a long walk";

/** Attacks compete for the CPU with one another and with other tests. */
const OPTIONS = { timeout: 180_000 };

const emailOf = (address: string) => `${address.replaceAll(/\W/g, "-")}@example.test`;

let site: AttackedSite;
beforeAll(async () => {
  if ("namespace" in made) {
    site = await startAttackedSite(made.namespace, Object.values(VISITORS).flat());
  }
});
afterAll(async () => {
  await site?.close();
  if ("namespace" in made) made.namespace.close();
});

/**
 * Visits the site several times, from the first page to the payment, each time in an unknown browser. Returns
 * the average time of an uncached page, in milliseconds.
 */
async function visit(address: string, times: number): Promise<number> {
  let waited = 0;
  for (let i = 1; i <= times; i++) {
    const visitor = site.visitor(address);
    expect((await visitor.get("/")).status).toBe(200);
    const startedAt = performance.now();
    expect((await visitor.get("/auth/forgot-password")).status).toBe(200);
    waited += performance.now() - startedAt;
    const json = { email: emailOf(address), password: PASSWORD };
    const { status, text } = await visitor.post("/auth/login", { json });
    expect([status, JSON.parse(text).toast.title]).toEqual([200, "🎉 Welcome Back!"]);
    if (i === times) await startUpgrade(visitor);
  }
  return waited / times;
}

async function startUpgrade(visitor: Visitor): Promise<void> {
  const json = { priceId: SANDBOX_STRIPE.priceId };
  const { text } = await visitor.post("/checkout", { json });
  expect(JSON.parse(text).url).toMatch(/^http:\/\/localhost:\d+\//);
}

type Visits = { outcomes: Outcomes[]; pageMs: number };

/** Lets visitors use the site during the attacks; returns the attacks' outcomes and the slowest visitor's page time. */
async function visitDuring(
  attacks: Attack[],
  visitors: readonly string[],
  times: number,
): Promise<Visits> {
  for (const address of visitors) await site.visitor(address).signUp(emailOf(address), PASSWORD);
  const running = attacks.map((attack) => site.attack(attack));
  const stopAll = () => Promise.all(running.map(({ stop }) => stop()));
  // a network's limit, or all that the attackers open
  const expected = Math.min(200, Math.max(...attacks.map(({ concurrency }) => concurrency)));
  try {
    await expect.poll(() => site.metric("http_connections")).toBeGreaterThan(0.9 * expected);
    const pageMs = await Promise.all(visitors.map((address) => visit(address, times)));
    return { outcomes: await stopAll(), pageMs: Math.max(...pageMs) };
  } finally {
    // even after a failure, so that the next test is not attacked too
    await stopAll();
  }
}

describe.skipIf("reason" in made)(`a visitor of another network${skipped}`, OPTIONS, () => {
  it("is served while six addresses of one /64 take all connections they can", async () => {
    const attack: Attack = { kind: "connections", addresses: LINE, concurrency: 2_200 };
    const { outcomes } = await visitDuring([attack], VISITORS.line, 2);
    expect(outcomes[0]?.connected).toBeGreaterThanOrEqual(2_200);
  });

  it("is served while 64 networks of one /48 guess her password and take all connections", async () => {
    const email = emailOf(VISITORS.company[0]);
    const attacks: Attack[] = [
      { kind: "log-ins", addresses: COMPANY, concurrency: 64, email },
      { kind: "connections", addresses: COMPANY, concurrency: 2_200 },
    ];
    const { outcomes } = await visitDuring(attacks, VISITORS.company, 8);
    const [logIns, connections] = outcomes;
    expect(logIns?.[401]).toBeLessThan(20);
    expect(logIns?.[429]).toBeGreaterThan(0);
    expect(connections?.connected).toBeGreaterThan(2_200);
  });

  it("is served while 64 networks of one /48 log in to guessed accounts", async () => {
    const attack: Attack = { kind: "log-ins", addresses: OFFICES, concurrency: 256 };
    const { outcomes } = await visitDuring([attack], VISITORS.offices, 8);
    expect(outcomes[0]?.[401]).toBeGreaterThan(0);
  });

  it("is served while 64 networks of one /48 request pages, and much faster than they are", async () => {
    const attack: Attack = { kind: "pages", addresses: COMPANY, concurrency: 600 };
    const { outcomes, pageMs } = await visitDuring([attack], VISITORS.pages, 4);
    expect(pageMs).toBeLessThan((outcomes[0]?.averageMs ?? 0) / 2);
  });

  it("is served while 64 addresses of one IPv4 network attack in all these ways", async () => {
    const attacks: Attack[] = [
      { kind: "log-ins", addresses: STREET, concurrency: 64 },
      { kind: "connections", addresses: STREET, concurrency: 2_200 },
      { kind: "pages", addresses: STREET, concurrency: 300 },
    ];
    await visitDuring(attacks, VISITORS.street, 2);
  });
});
