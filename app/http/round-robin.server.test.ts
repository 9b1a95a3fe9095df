import { describe, expect, it } from "vitest";
import { RoundRobin } from "./round-robin.server";

const network = (narrow: string) => ({ wide: narrow.charAt(0), narrow });

/** A queue of items, each named after its network, `A1` being a narrow network of the wide network `A`. */
function queueOf(...narrows: string[]): RoundRobin<string> {
  const queue = new RoundRobin<string>();
  for (const narrow of narrows) queue.add(network(narrow), narrow);
  return queue;
}

function takeAll(queue: RoundRobin<string>): (string | undefined)[] {
  return Array.from({ length: queue.size }, () => queue.takeNext());
}

it("serves wide networks in turn, and their narrow networks in turn", () => {
  const queue = queueOf("A1", "A1", "A2", "B1", "B1", "C1");
  expect(takeAll(queue)).toEqual(["A1", "B1", "C1", "A2", "B1", "A1"]);
  expect(queue.takeNext()).toBeUndefined();
});

it("counts items without an address as one network", () => {
  const queue = queueOf("A1");
  for (const item of ["x", "y", "z"]) queue.add(undefined, item);
  expect(queue.mayEvictFor(undefined)).toBe(false);
  expect(queue.mayEvictFor(network("A1"))).toBe(true);
  expect(queue.evictFor(network("A1"))).toBe("z");
});

describe("eviction", () => {
  it("is fair for a network that would still hold fewer than the largest", () => {
    const queue = queueOf("A1", "B1", "B1", "B1");
    expect(queue.mayEvictFor(network("C1"))).toBe(true);
    expect(queue.mayEvictFor(network("A1"))).toBe(true);
    queue.add(network("A2"), "A2");
    expect(queue.mayEvictFor(network("A1"))).toBe(false);
  });

  it("compares the narrow networks within the largest wide one", () => {
    const queue = queueOf("A1", "A2", "A2", "A2", "B1");
    expect(queue.mayEvictFor(network("A2"))).toBe(false);
    expect(queue.mayEvictFor(network("A1"))).toBe(true);
    expect(queue.evictFor(network("A1"))).toBe("A2");
  });

  it("knows the largest network after others have been served", () => {
    const queue = queueOf("A1", "A1", "A1", "A1", "A1");
    for (let taken = 0; taken < 4; taken++) queue.takeNext();
    for (let added = 0; added < 3; added++) queue.add(network("B1"), "B1");
    expect(queue.mayEvictFor(network("A1"))).toBe(true);
    expect(queue.evictFor(network("A1"))).toBe("B1");
    expect(queue.mayEvictFor(network("A1"))).toBe(false);
    expect(takeAll(queue)).toEqual(["A1", "B1", "B1"]);
  });

  it("leaves no place in the queue for a network that has lost its only item", () => {
    const queue = queueOf("A1", "A2");
    const evicted = queue.evictFor(network("B1"));
    const left = evicted === "A1" ? "A2" : "A1";
    queue.add(network("B1"), "B1");
    expect(takeAll(queue)).toEqual([left, "B1"]);
    expect(queue.size).toBe(0);
  });

  it("finds nothing in an empty queue, even one that has had items", () => {
    const queue = queueOf("A1");
    queue.takeNext();
    for (const narrow of ["A1", "B1"]) {
      expect(queue.mayEvictFor(network(narrow))).toBe(false);
      expect(queue.evictFor(network(narrow))).toBeUndefined();
    }
    expect(queue.size).toBe(0);
  });
});
