import { describe, expect, it } from "vitest";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { inNetworksTurn } from "~/server/requests-in-progress.server";

/** Starts requests from an address that end when the returned function is called. */
function requests(address: string, count: number) {
  let started = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const outcomes = Promise.allSettled(
    Array.from({ length: count }, () =>
      inNetworksTurn(clientNetworks(address), async () => {
        started += 1;
        await ended;
      }),
    ),
  );
  return { started: () => started, end, outcomes };
}

describe("pages in progress", () => {
  it("are limited to two per network, however many of its addresses send them", async () => {
    const flood = requests("2001:db8:a:1::1", 20);
    const neighbor = requests("2001:db8:a:2::1", 20);
    const visitor = requests("198.51.100.7", 1);
    expect(flood.started() + neighbor.started()).toBe(2);
    expect(visitor.started()).toBe(1);
    for (const { end } of [flood, neighbor, visitor]) end();
    await Promise.all([flood.outcomes, neighbor.outcomes, visitor.outcomes]);
    expect(flood.started() + neighbor.started()).toBe(40);
  });

  it("are refused when two hundred of their network already wait", async () => {
    const flood = requests("203.0.113.1", 202);
    await expect(inNetworksTurn(clientNetworks("203.0.113.1"), async () => {})).rejects.toThrow(
      QueueFull,
    );
    const served = inNetworksTurn(clientNetworks("203.0.114.2"), async () => "served");
    expect(await served).toBe("served");
    flood.end();
    await flood.outcomes;
    expect(flood.started()).toBe(202);
  });
});
