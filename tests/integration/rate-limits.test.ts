import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { secondsToWait, waitMessage } from "~/server/rate-limits.server";
import { getDatabase, openDatabase, setDatabase } from "~db/client";
import { deleteExpiredRateLimits } from "~db/queries/rate-limits";
import { freePorts } from "../support/ports";
import { openTestSite, type TestSite } from "../support/site";

/** One attempt an account, and five an address, at a tenth of the limits. */
const FACTOR = "0.1";

let site: TestSite;
let count = 0;
let account: string;

beforeAll(async () => {
  site = await openTestSite({ variables: { RATE_LIMIT_FACTOR: FACTOR } });
});
afterAll(() => site.close());
beforeEach(() => {
  account = `account-${++count}@example.test`;
});

const attempt = (who: string | null, clientAddress?: string) =>
  secondsToWait("login", { context: { clientAddress }, account: who });

describe("an attempt", () => {
  it("is allowed up to the limit, and then has to wait for the rest of its time", async () => {
    expect(await attempt(account)).toBeNull();
    const seconds = await attempt(account);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect(await attempt(`another ${account}`)).toBeNull();
  });

  it("counts against the account in whatever case and with whatever space around it", async () => {
    expect(await attempt(account)).toBeNull();
    expect(await attempt(`  ${account.toUpperCase()} `)).not.toBeNull();
  });

  it("counts an IPv4 address the same when the socket writes it as IPv6", async () => {
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

  it("is counted anew once the time is over", async () => {
    const { db } = getDatabase();
    expect(await attempt(account)).toBeNull();
    await db.execute(sql`update rate_limits set expire = now() - interval '1 second'`);
    expect(await attempt(account)).toBeNull();
    await db.execute(sql`update rate_limits set expire = now() - interval '1 second'`);
    await deleteExpiredRateLimits(new Date());
    const rows = await db.execute(sql`select key from rate_limits`);
    expect(rows).toHaveLength(0);
  });
});

describe("without the database", () => {
  it("attempts are counted by this process alone", async () => {
    const database = getDatabase();
    const away = openDatabase(`postgres://nobody@127.0.0.1:${await freePorts(1)}/nothing`, {
      restartPatience: 0,
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

  it("nobody waits long for one that does not answer", async () => {
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
    const startedAt = Date.now();
    expect(await attempt(account, "192.0.2.99")).toBeNull();
    expect(Date.now() - startedAt).toBeLessThan(6_000);
    expect(await attempt(account, "192.0.2.99")).not.toBeNull();
    letGo();
    await lock;
  });
});

describe("the words for who has to wait", () => {
  it.each([
    [1, "a minute"],
    [60, "a minute"],
    [61, "2 minutes"],
    [900, "15 minutes"],
    [3_600, "60 minutes"],
  ])("for %i seconds are '%s'", (seconds, words) => {
    expect(waitMessage(seconds)).toBe(`Too many attempts. Please try again in ${words}.`);
  });
});
