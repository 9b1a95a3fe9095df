import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { type LogLine, watchLog } from "../../../tests/support/log";
import { metricValue } from "../../../tests/support/metrics";
import { rejectWebhook } from "./webhook-rejections.server";

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

const UNSIGNED = line("webhook rejected: it has no signature", { reason: "no signature", network });

describe("rejected webhooks", () => {
  it.each([
    ["no signature", "webhook rejected: it has no signature"],
    [
      "wrong signature",
      "webhook rejected: its signature is stale or made with a secret other than STRIPE_WEBHOOK_SECRET",
    ],
    [
      "livemode mismatch",
      "webhook rejected: livemode mismatch (live event on a test key, or the reverse)",
    ],
  ] as const)("are logged with their reason: %s", (reason, message) => {
    rejectWebhook(reason, { network });
    expect(lines).toEqual([line(message, { reason, network })]);
  });

  it("are counted, each of them", async () => {
    const refused = () => metricValue("stripe_webhooks_total", { outcome: "refused" });
    const before = await refused();
    for (let count = 0; count < 3; count++) rejectWebhook("no signature", { network });
    expect(await refused()).toBe(before + 3);
  });

  it("are logged twice a minute and reason at most, the second time with how many more came", () => {
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

  it("are logged with their details again after a minute", () => {
    rejectWebhook("no signature", { network });
    vi.advanceTimersByTime(60_000);
    rejectWebhook("no signature", { network });
    expect(lines).toEqual([UNSIGNED, UNSIGNED]);
  });
});
