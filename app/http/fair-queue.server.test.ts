import fc from "fast-check";
import { expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";
import { FairQueue, QueueFull } from "./fair-queue.server";

/** A queue whose tasks end on demand, and the addresses whose tasks have started, in order. */
function scene(limits: { concurrency: number; maxWaiting: number }) {
  const queue = new FairQueue(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    queue,
    started,
    ask: (address: string) =>
      queue
        .run(clientNetworks(address), () => {
          started.push(address);
          return new Promise<void>((end) => ends.push(end));
        })
        .then(
          () => "done",
          (reason: unknown) => (reason instanceof QueueFull ? "rejected" : Promise.reject(reason)),
        ),
    /** Ends the task that has run longest. */
    end: () => ends.shift()?.(),
    /** Ends running tasks, and those they make room for, until the queue is empty. */
    finish: async () => {
      while (queue.running > 0) {
        for (const end of ends.splice(0)) end();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

it("continues after a task fails, and rejects with its error", async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10 });
  const failing = queue.run(undefined, () => Promise.reject(new Error("broken")));
  const next = queue.run(undefined, () => Promise.resolve("fine"));
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("fine");
  expect(queue.running).toBe(0);
});

it("serves networks round-robin, however many tasks one of them submits", async () => {
  const { ask, started, finish } = scene({ concurrency: 1, maxWaiting: 100 });
  const all = [
    ...Array.from({ length: 6 }, () => ask("2001:db8:a::1")),
    ask("2001:db8:b::1"),
    ask("198.51.100.7"),
    ask("2001:db8:b::1"),
  ];
  await finish();
  await Promise.all(all);
  const [a, b, c] = ["2001:db8:a::1", "2001:db8:b::1", "198.51.100.7"];
  expect(started).toEqual([a, a, b, c, a, b, a, a, a]);
});

it("counts the narrow networks of a wide one together, and serves them round-robin", async () => {
  const { ask, started, finish } = scene({ concurrency: 1, maxWaiting: 100 });
  const all = [
    ask("192.0.2.1"),
    ...["1", "1", "1", "2", "3"].map((subnet) => ask(`2001:db8:a:${subnet}::1`)),
    ask("2001:db8:b::1"),
  ];
  await finish();
  await Promise.all(all);
  expect(started).toEqual([
    "192.0.2.1",
    "2001:db8:a:1::1",
    "2001:db8:b::1",
    "2001:db8:a:2::1",
    "2001:db8:a:3::1",
    "2001:db8:a:1::1",
    "2001:db8:a:1::1",
  ]);
});

it("evicts the newest task of the largest network for a smaller one", async () => {
  const { queue, ask, finish } = scene({ concurrency: 1, maxWaiting: 4 });
  const running = ask("192.0.2.1");
  const flood = ["1", "2", "3", "3"].map((subnet) => ask(`2001:db8:a:${subnet}::1`));
  expect(queue.hasRoomFor(clientNetworks("2001:db8:a:1::1"))).toBe(false);
  expect(await ask("2001:db8:a:1::1")).toBe("rejected");

  expect(queue.hasRoomFor(clientNetworks("198.51.100.7"))).toBe(true);
  const visitor = ask("198.51.100.7");
  expect(await flood.at(-1)).toBe("rejected");
  expect(queue.waiting).toBe(4);
  await finish();
  expect(await Promise.all([running, visitor, ...flood])).toEqual([
    ...Array(5).fill("done"),
    "rejected",
  ]);
});

it("evicts from the largest narrow network within a wide one", async () => {
  const { ask, finish } = scene({ concurrency: 1, maxWaiting: 4 });
  const running = ask("192.0.2.1");
  const greedy = Array.from({ length: 3 }, () => ask("198.51.100.1"));
  const other = ask("198.51.100.2");
  const newcomer = ask("198.51.100.3");
  expect(await greedy.at(-1)).toBe("rejected");
  await finish();
  expect(await Promise.all([running, other, newcomer])).toEqual(["done", "done", "done"]);
});

it("evicts nothing from a network that has no more tasks than the newcomer's", async () => {
  const { ask, finish } = scene({ concurrency: 1, maxWaiting: 3 });
  const running = ask("192.0.2.1");
  const waiting = ["10.1.0.1", "10.2.0.1", "10.3.0.1"].map(ask);
  expect(await ask("10.4.0.1")).toBe("rejected");
  expect(await ask("10.1.0.1")).toBe("rejected");
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

it("starts or rejects every task, and never exceeds its limits", async () => {
  const asks = fc.array(
    fc.record({ wide: fc.integer({ min: 0, max: 3 }), narrow: fc.integer({ min: 0, max: 2 }) }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(asks, async (asked) => {
      const { queue, started, ask, finish } = scene({ concurrency: 2, maxWaiting: 7 });
      const answers = asked.map(({ wide, narrow }) => {
        const answer = ask(`10.0.${wide}.${narrow}`);
        expect(queue.waiting).toBeLessThanOrEqual(7);
        return answer;
      });
      await finish();
      const ends = await Promise.all(answers);
      expect(ends.filter((end) => end === "done")).toHaveLength(started.length);
      expect(started.length).toBe(Math.min(asked.length, 9));
      expect([queue.running, queue.waiting]).toEqual([0, 0]);
    }),
  );
});
