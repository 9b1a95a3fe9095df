import { expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";
import { connectionAccepted, fairTurn } from "./fair-scheduling.server";

const nextRound = () => new Promise((resolve) => setImmediate(resolve));

it("one begins in each round, in the order in which they came", async () => {
  const begun: number[] = [];
  const all = [1, 2, 3].map((who) => fairTurn(undefined).then(() => begun.push(who)));
  expect(begun).toEqual([]);
  await nextRound();
  expect(begun).toEqual([1]);
  const late = fairTurn(undefined).then(() => begun.push(4));
  await nextRound();
  expect(begun).toEqual([1, 2]);
  await Promise.all([...all, late]);
  expect(begun).toEqual([1, 2, 3, 4]);
});

it("whoever comes when nobody waits begins in the next round", async () => {
  let hasBegun = false;
  void fairTurn(undefined).then(() => {
    hasBegun = true;
  });
  await nextRound();
  expect(hasBegun).toBe(true);
});

it("a visitor of another network does not wait for all of a crowd", async () => {
  const begun: string[] = [];
  const ask = (address: string) =>
    fairTurn(clientNetworks(address)).then(() => begun.push(address));
  const crowd = Array.from({ length: 100 }, (_, subnet) => ask(`2001:db8:a:${subnet}::1`));
  const visitor = ask("198.51.100.7");
  await visitor;
  expect(begun).toEqual(["2001:db8:a:0::1", "198.51.100.7"]);
  await Promise.all(crowd);
});

it("new connections are taken in first, but not for ever", async () => {
  let hasBegun = false;
  void fairTurn(undefined).then(() => {
    hasBegun = true;
  });
  for (let accepted = 0; accepted < 50; accepted++) {
    connectionAccepted();
    await nextRound();
    expect(hasBegun).toBe(false);
  }
  await nextRound();
  expect(hasBegun).toBe(true);

  hasBegun = false;
  void fairTurn(undefined).then(() => {
    hasBegun = true;
  });
  let rounds = 0;
  for (; !hasBegun && rounds < 1_000; rounds++) {
    connectionAccepted();
    await nextRound();
  }
  expect(rounds).toBeGreaterThan(50);
  expect(rounds).toBeLessThan(200);
});
