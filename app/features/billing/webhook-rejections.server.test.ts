import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { type LogLine, watchLog } from "../../../tests/support/log";
import { rejectWebhook } from "./webhook.server";

let lines: LogLine[];
beforeEach(() => {
  setEnvironment({});
  vi.useFakeTimers();
  lines = watchLog();
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const network = "192.0.2.0/24";

const line = (message: string, facts: Record<string, unknown>): LogLine => ({
  level: "warn",
  message,
  facts: { security: "webhook-refused", ...facts },
});

describe("rejected webhooks", () => {
  it("are logged at most twice per minute and reason, with the number of further ones", () => {
    for (let count = 0; count < 1_000; count++) rejectWebhook("no signature", { network });
    rejectWebhook("livemode mismatch", { network });
    expect(lines.map(({ facts }) => facts.reason)).toEqual(["no signature", "livemode mismatch"]);
    vi.advanceTimersByTime(59_999);
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(lines.slice(2)).toEqual([
      line("more webhooks rejected in a minute", { reason: "no signature", count: 999 }),
    ]);
  });
});
