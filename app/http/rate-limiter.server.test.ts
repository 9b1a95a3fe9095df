import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RateLimiter } from "./rate-limiter.server";

/** How many keys over their limit a limiter remembers. */
const MAX_REMEMBERED = 10_000;

let limiter: RateLimiter;

beforeEach(() => {
  vi.useFakeTimers();
  limiter = new RateLimiter("test", { attempts: 2, seconds: 60 });
});
afterEach(() => vi.useRealTimers());

describe("a count in the database", () => {
  it("allows an attempt up to the limit", () => {
    expect(limiter.judge("key", { points: 2, wait: 9_000 })).toBeNull();
    expect(limiter.knownWait("key")).toBe(0);
  });

  it("rejects an attempt over the limit, and says whether it is the first", () => {
    expect(limiter.judge("key", { points: 3, wait: 9_000 })).toEqual({
      wait: 9_000,
      isFirst: true,
    });
    expect(limiter.judge("key", { points: 4, wait: 8_000 })).toEqual({
      wait: 8_000,
      isFirst: false,
    });
  });
});

describe("of the keys over their limit", () => {
  const reject = (key: string) => limiter.judge(key, { points: 3, wait: 9_000 });

  beforeEach(() => {
    for (let i = 0; i < MAX_REMEMBERED; i++) reject(`key ${i}`);
  });

  it("the one rejected longest ago makes room for another", () => {
    reject("another key");
    expect(limiter.knownWait("another key")).toBe(9_000);
    expect(limiter.knownWait("key 0")).toBe(0);
    expect(limiter.knownWait("key 1")).toBe(9_000);
  });
});

describe("a count in this process alone", () => {
  it("rejects an attempt over the limit, and says whether it is the first", async () => {
    expect(await limiter.countLocally("key")).toBeNull();
    expect(await limiter.countLocally("key")).toBeNull();
    vi.advanceTimersByTime(1_000);
    expect(await limiter.countLocally("key")).toEqual({ wait: 59_000, isFirst: true });
    expect(await limiter.countLocally("key")).toEqual({ wait: 59_000, isFirst: false });
    expect(await limiter.countLocally("another key")).toBeNull();
  });
});
