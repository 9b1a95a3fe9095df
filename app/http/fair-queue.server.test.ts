import fc from "fast-check";
import { expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";
import { FairQueue, QueueFull } from "./fair-queue.server";

/** A queue whose works end when told to, and the addresses whose works have begun, in order. */
function scene(limits: { concurrency: number; maxWaiting: number }) {
  const queue = new FairQueue(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    queue,
    begun,
    ask: (address: string) =>
      queue
        .run(clientNetworks(address), () => {
          begun.push(address);
          return new Promise<void>((end) => ends.push(end));
        })
        .then(
          () => "done",
          (reason: unknown) => (reason instanceof QueueFull ? "refused" : Promise.reject(reason)),
        ),
    /** Lets what runs end, and what then runs, until nothing is left. */
    finish: async () => {
      while (queue.running > 0) {
        for (const end of ends.splice(0)) end();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

it("runs as many works as it may at one time, and gives back what they give", async () => {
  const queue = new FairQueue({ concurrency: 2, maxWaiting: 10 });
  let most = 0;
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      queue.run(undefined, async () => {
        most = Math.max(most, queue.running);
        await new Promise((resolve) => setImmediate(resolve));
        return number;
      }),
    ),
  );
  expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(2);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

it("goes on when a work fails, and says how it failed", async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10 });
  const failing = queue.run(undefined, () => Promise.reject(new Error("broken")));
  const next = queue.run(undefined, () => Promise.resolve("fine"));
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("fine");
  expect(queue.running).toBe(0);
});

it("serves the works of one address in the order they came", async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10 });
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map((number) => queue.run(undefined, async () => order.push(number))),
  );
  expect(order).toEqual([1, 2, 3, 4]);
});

it("serves networks in turn, however much one of them asks", async () => {
  const { ask, begun, finish } = scene({ concurrency: 1, maxWaiting: 100 });
  const all = [
    ...Array.from({ length: 6 }, () => ask("2001:db8:a::1")),
    ask("2001:db8:b::1"),
    ask("198.51.100.7"),
    ask("2001:db8:b::1"),
  ];
  await finish();
  await Promise.all(all);
  const [a, b, c] = ["2001:db8:a::1", "2001:db8:b::1", "198.51.100.7"];
  expect(begun).toEqual([a, a, b, c, a, b, a, a, a]);
});

it("counts many narrow networks of one wide one as one, and serves them in turn", async () => {
  const { ask, begun, finish } = scene({ concurrency: 1, maxWaiting: 100 });
  const all = [
    ask("192.0.2.1"),
    ...["1", "1", "1", "2", "3"].map((subnet) => ask(`2001:db8:a:${subnet}::1`)),
    ask("2001:db8:b::1"),
  ];
  await finish();
  await Promise.all(all);
  expect(begun).toEqual([
    "192.0.2.1",
    "2001:db8:a:1::1",
    "2001:db8:b::1",
    "2001:db8:a:2::1",
    "2001:db8:a:3::1",
    "2001:db8:a:1::1",
    "2001:db8:a:1::1",
  ]);
});

it("takes the newest place of the largest network for one that has fewer", async () => {
  const { queue, ask, finish } = scene({ concurrency: 1, maxWaiting: 4 });
  const running = ask("192.0.2.1");
  const crowd = ["1", "2", "3", "3"].map((subnet) => ask(`2001:db8:a:${subnet}::1`));
  expect(queue.hasRoomFor(clientNetworks("2001:db8:a:1::1"))).toBe(false);
  expect(await ask("2001:db8:a:1::1")).toBe("refused");

  expect(queue.hasRoomFor(clientNetworks("198.51.100.7"))).toBe(true);
  const visitor = ask("198.51.100.7");
  expect(await crowd.at(-1)).toBe("refused");
  expect(queue.waiting).toBe(4);
  await finish();
  expect(await Promise.all([running, visitor, ...crowd])).toEqual([
    ...Array(5).fill("done"),
    "refused",
  ]);
});

it("takes a place from the largest narrow network where several share a wide one", async () => {
  const { ask, finish } = scene({ concurrency: 1, maxWaiting: 4 });
  const running = ask("192.0.2.1");
  const greedy = Array.from({ length: 3 }, () => ask("198.51.100.1"));
  const neighbour = ask("198.51.100.2");
  const newNeighbour = ask("198.51.100.3");
  expect(await greedy.at(-1)).toBe("refused");
  await finish();
  expect(await Promise.all([running, neighbour, newNeighbour])).toEqual(["done", "done", "done"]);
});

it("compares neighbours also while their network is one of several largest", async () => {
  const { ask, finish } = scene({ concurrency: 1, maxWaiting: 4 });
  const running = ask("192.0.2.1");
  const others = ["203.0.113.1", "203.0.113.1"].map(ask);
  const greedy = ["198.51.100.1", "198.51.100.1"].map(ask);
  const neighbour = ask("198.51.100.2");
  expect(await greedy.at(-1)).toBe("refused");
  await finish();
  expect(await Promise.all([running, neighbour, ...others])).toEqual(Array(4).fill("done"));
});

it("takes no place from a network that has no more than who asks", async () => {
  const { ask, finish } = scene({ concurrency: 1, maxWaiting: 3 });
  const running = ask("192.0.2.1");
  const waiting = ["10.1.0.1", "10.2.0.1", "10.3.0.1"].map(ask);
  expect(await ask("10.4.0.1")).toBe("refused");
  expect(await ask("10.1.0.1")).toBe("refused");
  await finish();
  expect(await Promise.all([running, ...waiting])).toEqual(Array(4).fill("done"));
});

it("counts clients without an address as one network", async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 2 });
  const never = new Promise<void>(() => {});
  void queue.run(undefined, () => never);
  const [, second] = [1, 2].map(() => queue.run(undefined, () => never));
  void queue.run(clientNetworks("192.0.2.1"), () => never);
  await expect(second).rejects.toThrow(QueueFull);
});

it("begins every work or refuses it, and never holds more than it may", async () => {
  const asks = fc.array(
    fc.record({ wide: fc.integer({ min: 0, max: 3 }), narrow: fc.integer({ min: 0, max: 2 }) }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(asks, async (asked) => {
      const { queue, begun, ask, finish } = scene({ concurrency: 2, maxWaiting: 7 });
      const answers = asked.map(({ wide, narrow }) => {
        const answer = ask(`10.0.${wide}.${narrow}`);
        expect(queue.waiting).toBeLessThanOrEqual(7);
        return answer;
      });
      await finish();
      const ends = await Promise.all(answers);
      expect(ends.filter((end) => end === "done")).toHaveLength(begun.length);
      expect(begun.length).toBe(Math.min(asked.length, 9));
      expect([queue.running, queue.waiting]).toEqual([0, 0]);
    }),
  );
});

it("takes no longer for many networks than for few", async () => {
  const { ask, queue } = scene({ concurrency: 1, maxWaiting: 20_000 });
  const startedAt = performance.now();
  for (let i = 0; i < 40_000; i++) void ask(`10.${i % 200}.${i % 250}.1`);
  expect(queue.waiting).toBe(20_000);
  // some milliseconds; looking at every network for every work takes minutes
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
