import { expect, test } from "vitest";
import { retryDelay } from "./webhook-dispatcher";

test("retries wait half a second, then twice as long each time, up to an hour", () => {
  expect([1, 2, 3, 4].map(retryDelay)).toEqual([500, 1_000, 2_000, 4_000]);
  expect(retryDelay(13)).toBe(2_048_000);
  expect(retryDelay(14)).toBe(3_600_000);
  expect(retryDelay(2_000)).toBe(3_600_000);
});
