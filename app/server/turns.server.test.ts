import { expect, it } from "vitest";
import { turn } from "./turns.server";

const nextRound = () => new Promise((resolve) => setImmediate(resolve));

it("one begins in each round, in the order in which they came", async () => {
  const begun: number[] = [];
  const all = [1, 2, 3].map((who) => turn().then(() => begun.push(who)));
  expect(begun).toEqual([]);
  await nextRound();
  expect(begun).toEqual([1]);
  const late = turn().then(() => begun.push(4));
  await nextRound();
  expect(begun).toEqual([1, 2]);
  await Promise.all([...all, late]);
  expect(begun).toEqual([1, 2, 3, 4]);
});

it("whoever comes when nobody waits begins in the next round", async () => {
  let hasBegun = false;
  void turn().then(() => {
    hasBegun = true;
  });
  await nextRound();
  expect(hasBegun).toBe(true);
});
