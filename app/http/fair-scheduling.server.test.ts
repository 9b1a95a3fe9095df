import { expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";
import { connectionAccepted, fairTurn } from "./fair-scheduling.server";

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

it("one task starts per event-loop iteration, in order of arrival", async () => {
  const started: number[] = [];
  const all = [1, 2, 3].map((who) => fairTurn(undefined).then(() => started.push(who)));
  expect(started).toEqual([]);
  await nextIteration();
  expect(started).toEqual([1]);
  const late = fairTurn(undefined).then(() => started.push(4));
  await nextIteration();
  expect(started).toEqual([1, 2]);
  await Promise.all([...all, late]);
  expect(started).toEqual([1, 2, 3, 4]);
});

it("a visitor from another network does not wait behind a whole flood", async () => {
  const started: string[] = [];
  const ask = (address: string) =>
    fairTurn(clientNetworks(address)).then(() => started.push(address));
  const flood = Array.from({ length: 100 }, (_, subnet) => ask(`2001:db8:a:${subnet}::1`));
  const visitor = ask("198.51.100.7");
  await visitor;
  expect(started).toEqual(["2001:db8:a:0::1", "198.51.100.7"]);
  await Promise.all(flood);
});

it("new connections are accepted first, but not forever", async () => {
  let hasStarted = false;
  void fairTurn(undefined).then(() => {
    hasStarted = true;
  });
  for (let accepted = 0; accepted < 50; accepted++) {
    connectionAccepted();
    await nextIteration();
    expect(hasStarted).toBe(false);
  }
  await nextIteration();
  expect(hasStarted).toBe(true);

  hasStarted = false;
  void fairTurn(undefined).then(() => {
    hasStarted = true;
  });
  let iterations = 0;
  for (; !hasStarted && iterations < 1_000; iterations++) {
    connectionAccepted();
    await nextIteration();
  }
  expect(iterations).toBeGreaterThan(50);
  expect(iterations).toBeLessThan(200);
});
