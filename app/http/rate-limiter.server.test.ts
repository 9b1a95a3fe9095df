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
