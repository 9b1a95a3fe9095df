import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getDatabase } from "~db/client";
import { findAccountFacts } from "~db/queries/account-facts";
import { insertUser } from "~db/queries/users";
import { emailChanges, passkeys, subscribers } from "~db/schema";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());

const NOW = new Date("2027-03-04T05:06:07.890Z");
const fromNow = (ms: number) => new Date(NOW.getTime() + ms);

const factsOf = (id: string) => findAccountFacts(id, { asOf: NOW, sessionLimit: 50 });

let count = 0;

async function newUser() {
  const email = `Facts-${++count}@example.test`;
  const user = await insertUser({ email, passwordHash: "a hash" });
  if (!user) throw new Error("The address is taken.");
  return { id: user.id, email };
}

describe("what is known about an account", () => {
  it("is nothing about one that has done nothing yet, and null for none", async () => {
    const user = await newUser();
    expect(await factsOf(user.id)).toEqual({
      emailConfirmedAt: null,
      waitingEmail: null,
      subscriber: null,
      largePicture: null,
      sessions: [],
      passkeys: [],
    });
    expect(await factsOf("00000000-0000-4000-8000-000000000000")).toBeNull();
  });

  it.each([
    ["unconfirmed", null],
    ["confirmed", fromNow(-1_000)],
  ])("is its subscription under its address in any case: %s", async (_, confirmedAt) => {
    const user = await newUser();
    await newUser();
    await getDatabase()
      .db.insert(subscribers)
      .values({ email: user.email.toUpperCase(), unsubscribeToken: user.id, confirmedAt });
    const facts = await factsOf(user.id);
    expect(facts?.subscriber).toMatchObject({ confirmedAt });
  });

  it.each([
    ["waits", { expiresAt: fromNow(1) }, "new@example.test"],
    ["has expired", { expiresAt: NOW }, null],
    ["was made", { expiresAt: fromNow(1), changedAt: fromNow(-1) }, null],
  ])("is an address to change to that %s", async (_, dates, expected) => {
    const user = await newUser();
    await getDatabase()
      .db.insert(emailChanges)
      .values({
        userId: user.id,
        oldEmail: user.email,
        newEmail: "new@example.test",
        createdAt: fromNow(-2),
        ...dates,
      });
    expect((await factsOf(user.id))?.waitingEmail).toBe(expected);
  });

  it("is its passkeys, in the order in which they were added, and nobody else's", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const added = (userId: string, id: string, ms: number, lastUsedAt: Date | null = null) => ({
      ...{ userId, id, name: `Key ${id}`, createdAt: fromNow(ms), lastUsedAt },
      publicKey: Buffer.from("a key"),
      counter: 0,
      transports: [],
    });
    await getDatabase()
      .db.insert(passkeys)
      .values([
        added(user.id, "b", -1),
        added(user.id, "c", -2, NOW),
        added(user.id, "a", -1),
        added(other.id, "d", -3),
      ]);
    expect((await factsOf(user.id))?.passkeys).toEqual([
      { id: "c", name: "Key c", transports: [], createdAt: fromNow(-2), lastUsedAt: NOW },
      { id: "a", name: "Key a", transports: [], createdAt: fromNow(-1), lastUsedAt: null },
      { id: "b", name: "Key b", transports: [], createdAt: fromNow(-1), lastUsedAt: null },
    ]);
  });
});
