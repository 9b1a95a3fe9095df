import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { checkRateLimit } from "~/http/rate-limits.server";
import { getDatabase, openDatabase, setDatabase } from "~db/client";
import { deleteOldRows } from "~db/queries/old-rows";
import { watchLog } from "../support/log";
import { metricValue } from "../support/metrics";
import { freePorts } from "../support/ports.mjs";
import { testSite } from "../support/site";
import { withoutDatabase } from "../support/without-database";

/** A tenth of the limits: one attempt per account and network, five per network, ten per wide network or account. */
const FACTOR = "0.1";

testSite({ variables: { RATE_LIMIT_FACTOR: FACTOR } });
let count = 0;
let account: string;
beforeEach(() => {
  account = `account-${++count}@example.test`;
});

const attempt = (who: string | null, clientAddress?: string, knownBrowser?: string) =>
  checkRateLimit("login", { context: { clientAddress }, account: who, knownBrowser });

/** The attempts counted in the database for an account, from all networks. */
async function countedOf(who: string): Promise<number> {
  const key = createHash("sha256").update(who).digest("base64url").slice(0, 32);
  const [row] = await getDatabase().db.execute<{ points: number }>(
    sql`select points from rate_limits where key = ${`login:account:${key}`}`,
  );
  return row?.points ?? 0;
}

describe("an attempt", () => {
  it("is allowed up to the limit, and then has to wait for the rest of the window", async () => {
    expect(await attempt(account)).toBeNull();
    const seconds = await attempt(account);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect(await attempt(`another ${account}`)).toBeNull();
  });

  it("is rejected without a query once its limit is known to be exceeded", async () => {
    for (let i = 0; i < 3; i++) await attempt(account);
    const lines = watchLog();
    const [seconds, other] = await withoutDatabase(async () => [
      await attempt(account),
      await attempt(`another ${account}`),
    ]);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(other).toBeNull();
    expect(lines).toEqual([
      {
        level: "warn",
        message: "a rate limit is counted without the database",
        facts: { err: expect.any(Error) },
      },
    ]);
  });

  it("is logged at the first rejection, and counted each time", async () => {
    const lines = watchLog();
    const counted = () =>
      metricValue("rate_limited_total", { limited: "login", by: "account-from-network" });
    const before = await counted();
    for (let i = 0; i < 4; i++) await attempt(account, "198.51.103.1");
    expect(lines).toEqual([
      {
        level: "warn",
        message: "rate limit reached",
        facts: {
          security: "limit-reached",
          limited: "login",
          by: "account-from-network",
          network: "198.51.103.1",
        },
      },
    ]);
    expect(await counted()).toBe(before + 3);
  });

  it("counts against the account from all networks together, up to a looser limit", async () => {
    for (let i = 0; i < 10; i++) expect(await attempt(account, `198.18.${i}.1`)).toBeNull();
    const seconds = await attempt(account, "198.18.10.1");
    expect(seconds).toBeGreaterThan(59 * 60);
  });

  it("from a known browser is counted separately", async () => {
    for (let i = 0; i < 11; i++) await attempt(account, `198.19.${i}.1`);
    expect(await attempt(account, "198.19.11.1")).not.toBeNull();
    expect(await attempt(account, "198.19.11.1", "the browser")).toBeNull();
    expect(await attempt(account, "198.19.11.1", "the browser")).not.toBeNull();
    expect(await attempt(account, "198.19.11.1", "another browser")).toBeNull();
  });

  it("that is rejected for its network does not count against the account", async () => {
    const address = "198.51.101.1";
    for (let i = 0; i < 5; i++) await attempt(`${i} ${account}`, address);
    expect(await attempt(account, address)).not.toBeNull();
    expect(await attempt(account, address)).not.toBeNull();
    expect(await countedOf(account)).toBe(0);
  });

  it("counts all networks of a wider one together, up to a looser limit", async () => {
    const from = (i: number) => `2001:db8:77:${i.toString(16)}::1`;
    for (let i = 0; i < 10; i++) expect(await attempt(`${i} ${account}`, from(i))).toBeNull();
    expect(await attempt(account, from(10))).not.toBeNull();
    expect(await attempt(account, "2001:db8:78::1")).toBeNull();
  });

  it("counts an IPv4 address the same when the socket reports it as IPv6", async () => {
    for (let i = 0; i < 5; i++) {
      const address = i % 2 ? "::ffff:192.0.2.77" : "192.0.2.77";
      expect(await attempt(null, address)).toBeNull();
    }
    expect(await attempt(null, "::ffff:192.0.2.77")).not.toBeNull();
    expect(await attempt(null, "192.0.2.78")).toBeNull();
  });

  it("counts all addresses of an IPv6 network together, however they are written", async () => {
    const network = ["2001:db8:5:6::1", "2001:0db8:5:6:ffff::", "2001:db8:5:6:1:2:3:4"];
    for (let i = 0; i < 5; i++) expect(await attempt(null, network[i % 3])).toBeNull();
    expect(await attempt(null, "2001:db8:5:6::9")).not.toBeNull();
    expect(await attempt(null, "2001:db8:5:7::1")).toBeNull();
  });

  it("is counted from zero once the window is over", async () => {
    const { db } = getDatabase();
    expect(await attempt(account)).toBeNull();
    await db.execute(sql`update rate_limits set expire = now() - interval '1 second'`);
    expect(await attempt(account)).toBeNull();
    await db.execute(sql`update rate_limits set expire = now() - interval '1 second'`);
    await deleteOldRows(new Date());
    const rows = await db.execute(sql`select key from rate_limits`);
    expect(rows).toHaveLength(0);
  });

  it("is counted on after an attempt that began later and was counted first", async () => {
    const { db } = getDatabase();
    for (let i = 0; i < 5; i++) expect(await attempt(null, "192.0.2.79")).toBeNull();
    await db.execute(sql`update rate_limits set expire = expire + interval '1 second'`);
    expect(await attempt(null, "192.0.2.79")).not.toBeNull();
  });

  it("from all networks of a wider one together cannot use up the account's overall limit", async () => {
    for (let i = 0; i < 20; i++) await attempt(account, `2001:db8:7a:${i.toString(16)}::1`);
    expect(await countedOf(account)).toBe(2);
    expect(await attempt(account, "2001:db8:7b::1")).toBeNull();
  });
});

describe("counting", () => {
  it("is exact for many simultaneous attempts from networks that share a limit", async () => {
    const addresses = Array.from({ length: 64 }, (_, index) => `2001:db8:88:${index % 8}::1`);
    const waits = await Promise.all(addresses.map((address) => attempt(null, address)));
    expect(waits.filter((wait) => wait === null)).toHaveLength(10);
    const rows = await getDatabase().db.execute<{ points: number }>(
      sql`select points from rate_limits where key like 'login:%network:2001:db8:88:%' order by points`,
    );
    // of eight from each network five reach the limit of all of them
    expect(rows.map(({ points }) => points)).toEqual([8, 8, 8, 8, 8, 8, 8, 8, 40]);
  });

  it("takes one statement for all limits", async () => {
    const usual = getDatabase();
    let statements = 0;
    const database = usual.reopen({ onQuery: () => statements++ });
    setDatabase(database);
    try {
      expect(await attempt(account, "198.51.105.1")).toBeNull();
      expect(statements).toBe(1);
    } finally {
      setDatabase(usual);
      await database.close();
    }
  });
});

describe("without the database", () => {
  it("attempts are counted by this process alone", async () => {
    const database = getDatabase();
    const away = openDatabase(`postgres://nobody@127.0.0.1:${await freePorts(1)}/nothing`, {
      restartTimeout: 0,
    });
    setDatabase(away);
    try {
      expect(await attempt(account)).toBeNull();
      expect(await attempt(account)).toBeGreaterThan(14 * 60);
      expect(await attempt(`another ${account}`)).toBeNull();
    } finally {
      setDatabase(database);
      await away.close();
    }
  });

  it("attempts time out soon if the database does not respond", async () => {
    const { db } = getDatabase();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const lock = db.transaction(async (tx) => {
      await tx.execute(sql`lock table rate_limits in access exclusive mode`);
      locked();
      await held;
    });
    await isLocked;
    expect(await attempt(account, "192.0.2.99")).toBeNull();
    expect(await attempt(account, "192.0.2.99")).not.toBeNull();
    letGo();
    await lock;
  });
});
