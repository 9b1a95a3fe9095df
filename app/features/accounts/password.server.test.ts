import { availableParallelism } from "node:os";
import argon2 from "argon2";
import { afterEach, describe, expect, it, vi } from "vitest";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { registry } from "~/observability/metrics.server";
import {
  hasHashQueueCapacity,
  hashPassword,
  needsRehash,
  verifyPassword,
  warmUpPasswords,
} from "./password.server";

afterEach(() => void vi.restoreAllMocks());

/** Returns the queue's length, as `/metrics` reports it. */
async function queueLength(): Promise<number | undefined> {
  const metric = await registry.getSingleMetric("password_hash_queue_length")?.get();
  return metric?.values[0]?.value;
}

describe("a password", () => {
  it("of an unknown address costs one verification and never matches, after the warm-up", async () => {
    const hash = vi.spyOn(argon2, "hash");
    const verify = vi.spyOn(argon2, "verify");
    await warmUpPasswords();
    expect(hash).toHaveBeenCalledTimes(1);
    const [decoy] = hash.mock.calls[0] ?? [];
    expect(await verifyPassword(null, String(decoy))).toBe(false);
    expect(await verifyPassword(null, "open sesame")).toBe(false);
    expect(verify).toHaveBeenCalledTimes(2);
    expect(hash).toHaveBeenCalledTimes(1);
  });

  it("matches in composed and decomposed Unicode", async () => {
    const [composed, decomposed] = ["p\u00e4ssw\u00f6rd", "pa\u0308sswo\u0308rd"];
    for (const chosen of [composed, decomposed]) {
      const hash = await hashPassword(chosen);
      expect(await verifyPassword(hash, composed)).toBe(true);
      expect(await verifyPassword(hash, decomposed)).toBe(true);
      expect(await verifyPassword(hash, "password")).toBe(false);
    }
    // hashed before passwords were normalized
    expect(await verifyPassword(await argon2.hash(decomposed), decomposed)).toBe(true);
    expect(await verifyPassword(null, decomposed)).toBe(false);
  });

  it("is hashed by argon2id with OWASP's parameters, and rehashed if they differ", async () => {
    expect(await hashPassword("open sesame")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(needsRehash(await hashPassword("open sesame"))).toBe(false);
    expect(needsRehash(await argon2.hash("open sesame", { timeCost: 3 }))).toBe(true);
  });
});

describe("the password queue", () => {
  it("accepts 40 passwords per concurrent hash, half of them from one network", async () => {
    const concurrency = Math.min(availableParallelism(), 2);
    const network = clientNetworks("192.0.2.1");
    const other = clientNetworks("198.51.100.1");
    expect(await queueLength()).toBe(0);
    const hash = vi.spyOn(argon2, "hash");
    const of = (client: typeof network, count: number) =>
      Array.from({ length: count }, () => hashPassword("x", client));
    const results = Promise.allSettled([
      ...of(network, 20 * concurrency + 10),
      ...of(other, 20 * concurrency + 1),
    ]);
    expect(hash).toHaveBeenCalledTimes(concurrency);
    expect(await queueLength()).toBe(40 * concurrency);
    expect(hasHashQueueCapacity(network)).toBe(false);
    expect(hasHashQueueCapacity(clientNetworks("203.0.113.1"))).toBe(false);
    const refused = (await results).filter(({ status }) => status === "rejected");
    expect(refused.map((outcome) => "reason" in outcome && outcome.reason)).toEqual(
      Array(11).fill(expect.any(QueueFull)),
    );
    expect(await queueLength()).toBe(0);
    expect(hasHashQueueCapacity(network)).toBe(true);
  });
});
