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
  it("a wide network counts as one, however many narrow ones it has", () => {
    const memory = new ReceivingMemory(100);
    const flood = [1, 2, 3, 4].map((subnet) => receive(memory, `2001:db8:a:${subnet}::1`, 15));
    const visitor = receive(memory, "198.51.100.7", 40);
    expect([dropped(flood), visitor.isDropped]).toEqual([[], false]);
    const next = receive(memory, "203.0.113.7", 5);
    expect(dropped(flood)).toEqual([0]);
    expect([visitor.isDropped, next.isDropped]).toEqual([false, false]);
  });
});
