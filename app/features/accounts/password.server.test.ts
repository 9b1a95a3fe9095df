import { availableParallelism } from "node:os";
import argon2 from "argon2";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { registry } from "~/observability/metrics.server";
import {
  hasHashQueueCapacity,
  hashesOnAllCores,
  hashPassword,
  needsRehash,
  verifyPassword,
  warmUpPasswords,
} from "./password.server";

afterEach(() => void vi.restoreAllMocks());

/** The length of the queue, as `/metrics` reports it. */
async function queueLength(): Promise<number | undefined> {
  const metric = await registry.getSingleMetric("password_hash_queue_length")?.get();
  return metric?.values[0]?.value;
}

describe("a password", () => {
  it("of an unknown address costs one verification and matches nothing, once warmed up", async () => {
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

  it("matches its own hash only", async () => {
    const hash = await hashPassword("open sesame");
    expect(await verifyPassword(hash, "open sesame")).toBe(true);
    expect(await verifyPassword(hash, "Open sesame")).toBe(false);
  });

  it("is the same whether its accents are characters of their own or not", async () => {
    const [composed, decomposed] = ["p\u00e4ssw\u00f6rd", "pa\u0308sswo\u0308rd"];
    for (const chosen of [composed, decomposed]) {
      const hash = await hashPassword(chosen);
      expect(await verifyPassword(hash, composed)).toBe(true);
      expect(await verifyPassword(hash, decomposed)).toBe(true);
      expect(await verifyPassword(hash, "password")).toBe(false);
    }
    // from before it was so
    expect(await verifyPassword(await argon2.hash(decomposed), decomposed)).toBe(true);
    expect(await verifyPassword(null, decomposed)).toBe(false);
  });

  it("is hashed by argon2id with OWASP's parameters, and again if it was by others", async () => {
    expect(await hashPassword("open sesame")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(needsRehash(await hashPassword("open sesame"))).toBe(false);
    expect(needsRehash(await argon2.hash("open sesame", { timeCost: 3 }))).toBe(true);
  });
});

describe("hashes on all cores", () => {
  it.each([
    [2, 4, 2],
    // compressing a page does not wait for hashes
    [4, 4, 3],
    [8, 64, 8],
    [8, 1, 1],
  ])("of a machine of %i, with %i threads, are %i at a time", (cores, threads, expected) => {
    expect(hashesOnAllCores(cores, threads)).toBe(expected);
  });
});

describe("the queue of passwords", () => {
  it("leaves one core free and takes 40 more for each of the others", async () => {
    const cores = Math.max(1, availableParallelism() - 1);
    const network = clientNetworks("192.0.2.1");
    expect(await queueLength()).toBe(0);
    const hash = vi.spyOn(argon2, "hash");
    const hashes = Array.from({ length: 41 * cores + 10 }, () => hashPassword("x", network));
    const results = Promise.allSettled(hashes);
    expect(await queueLength()).toBe(41 * cores);
    expect(hash).toHaveBeenCalledTimes(cores);
    expect(hasHashQueueCapacity(network)).toBe(false);
    expect(hasHashQueueCapacity(clientNetworks("198.51.100.1"))).toBe(true);
    const outcomes = await results;
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.map((outcome) => "reason" in outcome && outcome.reason)).toEqual(
      Array(10).fill(expect.any(QueueFull)),
    );
    expect(await queueLength()).toBe(0);
  });
});
