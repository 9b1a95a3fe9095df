import { describe, expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";
import { ReceivingMemory } from "./receiving-memory.server";

/** A body of so many bytes, and whether it was dropped. */
function receive(memory: ReceivingMemory, address: string, bytes: number) {
  const body = { isDropped: false, end: () => {} };
  const received = memory.begin(clientNetworks(address), () => {
    body.isDropped = true;
  });
  body.end = received.end;
  received.resize(bytes);
  return body;
}

const dropped = (bodies: { isDropped: boolean }[]) =>
  bodies.flatMap(({ isDropped }, index) => (isDropped ? [index] : []));

describe("when bodies exceed the memory limit", () => {
  it("the largest body of the largest network is dropped, not the newest", () => {
    const memory = new ReceivingMemory(100);
    const flood = [20, 40, 30].map((bytes) => receive(memory, "2001:db8:a::1", bytes));
    const visitor = receive(memory, "198.51.100.7", 15);
    expect(dropped(flood)).toEqual([1]);
    expect(visitor.isDropped).toBe(false);
  });

  it("a wide network counts as one, however many narrow ones it has", () => {
    const memory = new ReceivingMemory(100);
    const flood = [1, 2, 3, 4].map((subnet) => receive(memory, `2001:db8:a:${subnet}::1`, 15));
    const visitor = receive(memory, "198.51.100.7", 40);
    expect([dropped(flood), visitor.isDropped]).toEqual([[], false]);
    const next = receive(memory, "203.0.113.7", 5);
    expect(dropped(flood)).toEqual([0]);
    expect([visitor.isDropped, next.isDropped]).toEqual([false, false]);
  });

  it("within a wide network, the largest narrow network loses a body", () => {
    const memory = new ReceivingMemory(100);
    const other = receive(memory, "192.0.2.1", 40);
    const flood = [30, 35].map((bytes) => receive(memory, "192.0.2.2", bytes));
    expect(other.isDropped).toBe(false);
    expect(dropped(flood)).toEqual([1]);
  });

  it("within a network the largest is dropped, and among equals the newest", () => {
    const memory = new ReceivingMemory(100);
    const [large, small] = [receive(memory, "192.0.2.1", 60), receive(memory, "192.0.2.1", 50)];
    expect([large?.isDropped, small?.isDropped]).toEqual([true, false]);
    const [old, equal] = [receive(memory, "192.0.2.1", 50), receive(memory, "192.0.2.1", 50)];
    expect(dropped([small, old, equal] as { isDropped: boolean }[])).toEqual([2]);
  });

  it("one that grows counts by its size at the end, and one that was dropped is free once", () => {
    const memory = new ReceivingMemory(100);
    const growing = memory.begin(clientNetworks("192.0.2.1"), () => {});
    for (const bytes of [20, 40, 60]) growing.resize(bytes);
    expect(receive(memory, "198.51.100.7", 40).isDropped).toBe(false);
    const late = receive(memory, "203.0.113.7", 61);
    expect(late.isDropped).toBe(true);
    late.end();
    expect(receive(memory, "203.0.113.7", 61).isDropped).toBe(true);
  });

  it("memory is free again once bodies have ended or been dropped", () => {
    const memory = new ReceivingMemory(100);
    const first = receive(memory, "192.0.2.1", 60);
    expect(receive(memory, "192.0.2.1", 60).isDropped).toBe(true);
    expect(receive(memory, "192.0.2.1", 40).isDropped).toBe(false);
    first.end();
    expect(receive(memory, "192.0.2.1", 60).isDropped).toBe(false);
  });
});
