import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { afterOtherInstances, withInstanceLock } from "~db/queries/instance-lock";
import { eventually } from "../../support/eventually";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";

let testDatabase: TestDatabase;
/** The databases of two instances. */
let one: Database;
let other: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  one = openDatabase(testDatabase.url, { applicationName: "one" });
  other = openDatabase(testDatabase.url, { applicationName: "other" });
});
afterAll(async () => {
  setDatabase(null);
  await one?.close();
  await other?.close();
  await testDatabase?.drop();
});

/** Creates work that lasts until `end` is called. */
function heldWork() {
  let end = () => {};
  let begun = false;
  const ended = new Promise<void>((done) => {
    end = done;
  });
  return {
    end: () => end(),
    isBegun: () => begun,
    do: async () => {
      begun = true;
      await ended;
    },
  };
}

it("only one instance does a piece of work at a time; others can do other work", async () => {
  const held = heldWork();
  const first = withInstanceLock("clean-up", held.do, one);
  await eventually(() => expect(held.isBegun()).toBe(true));
  expect(await withInstanceLock("clean-up", async () => "done", other)).toBeNull();
  expect(await withInstanceLock("reconciliation", async () => "done", other)).toBe("done");
  held.end();
  await first;
  expect(await withInstanceLock("clean-up", async () => "done", other)).toBe("done");
});

it("a failure leaves no lock behind", async () => {
  const failing = withInstanceLock(
    "clean-up",
    async () => {
      throw new Error("it failed");
    },
    one,
  );
  await expect(failing).rejects.toThrow("it failed");
  expect(await withInstanceLock("clean-up", async () => "done", other)).toBe("done");
});

it("an instance keeps its lock while its heartbeat lasts, and then loses it", async () => {
  for (const [every, isKept] of [
    [50, true],
    [60_000, false],
  ] as const) {
    const held = heldWork();
    // as in a site, but a hundred times faster
    const first = withInstanceLock("clean-up", held.do, one, { every, deadAfter: 300 });
    await eventually(() => expect(held.isBegun()).toBe(true));
    const begunAt = Date.now();
    let takenAfter = Number.POSITIVE_INFINITY;
    while (takenAfter === Number.POSITIVE_INFINITY && Date.now() - begunAt < 2_000) {
      const taken = await withInstanceLock("clean-up", async () => true, other);
      if (taken) takenAfter = Date.now() - begunAt;
    }
    expect({ every, isKept: takenAfter > 1_500 }).toEqual({ every, isKept });
    held.end();
    await first;
  }
});

it("a turn that waits for another instance is not lost, and can be abandoned", async () => {
  setDatabase(other);
  const held = heldWork();
  const first = withInstanceLock("clean-up", held.do, one);
  await eventually(() => expect(held.isBegun()).toBe(true));
  const stopping = new AbortController();
  const turns: string[] = [];
  const waiting = afterOtherInstances(
    "clean-up",
    async () => void turns.push("given up"),
    stopping.signal,
  );
  stopping.abort();
  await waiting;
  expect(turns).toEqual([]);
  const next = afterOtherInstances(
    "clean-up",
    async () => void turns.push("its turn"),
    new AbortController().signal,
    50,
  );
  expect(turns).toEqual([]);
  held.end();
  await first;
  await next;
  expect(turns).toEqual(["its turn"]);
});
