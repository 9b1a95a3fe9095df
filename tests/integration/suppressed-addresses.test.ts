import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { liftSuppressions, suppressAddresses } from "~db/queries/suppressed-addresses";
import type { SuppressionReason } from "~db/suppression-reasons";
import { testSite } from "../support/site";

testSite();

beforeEach(() => getDatabase().db.execute(sql`truncate suppressed_addresses, subscribers`));

/** Suppresses an address like the mail worker when a server reports an unknown mailbox. */
const bounce = () =>
  getDatabase().db.execute(sql`
    insert into suppressed_addresses (address_hash, reason, reply)
    values (${addressHash("Reader@Example.test")}, 'hard-bounce', '550 5.1.1 RCPT TO')`);

const suppressed = () =>
  getDatabase().db.execute(
    sql`select reason, reply from suppressed_addresses
        where address_hash = ${addressHash("reader@example.test")}`,
  );

describe("the suppression list", () => {
  it("ranks a complaint above any other reason, and deletes the subscriber", async () => {
    await getDatabase().db.execute(
      sql`insert into subscribers (email) values ('Reader@Example.test')`,
    );
    await bounce();
    const complain = () => suppressAddresses(["reader@example.test"], "complaint");
    expect(await complain()).toEqual({ suppressed: 1, deleted: 1 });
    expect(await complain()).toEqual({ suppressed: 0, deleted: 0 });
    await suppressAddresses(["reader@example.test"], "listed");
    expect(await suppressed()).toEqual([{ reason: "complaint", reply: null }]);
  });

  it("ranks leaving above a bounce and below a complaint", async () => {
    await bounce();
    const reasonAfter = async (reason: SuppressionReason) => {
      await suppressAddresses(["reader@example.test"], reason);
      return (await suppressed())[0]?.reason;
    };
    expect(await reasonAfter("listed")).toBe("hard-bounce");
    expect(await reasonAfter("unsubscribed")).toBe("unsubscribed");
    expect(await reasonAfter("listed")).toBe("unsubscribed");
    expect(await liftSuppressions(["reader@example.test"])).toBe(0);
    expect(await reasonAfter("complaint")).toBe("complaint");
    expect(await reasonAfter("unsubscribed")).toBe("complaint");
  });

  it("accepts two lists of the same addresses at once, in any order", async () => {
    const emails = Array.from({ length: 20_000 }, (_, index) => `reader-${index}@example.test`);
    const counts = await Promise.all(
      [emails, emails.toReversed()].map((list) => suppressAddresses(list, "listed")),
    );
    expect(counts.reduce((sum, { suppressed }) => sum + suppressed, 0)).toBe(20_000);
  });
});
