import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { campaignPhase, describeCampaign } from "./campaign-report";

const NOW = new Date("2026-11-22T12:00:00Z");
const NONE = {
  queued: 0,
  sending: 0,
  sent: 0,
  failed: 0,
  expired: 0,
  cancelled: 0,
  suppressed: 0,
  inDoubt: 0,
};
const CAMPAIGN = {
  slug: "the-first-mile",
  subject: "The first mile",
  audience: "subscribers",
  state: "running",
  pauseReason: null,
  startAt: new Date("2026-11-22T11:00:00Z"),
} as const;

beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
});
afterEach(() => vi.unstubAllEnvs());

describe("a campaign's report", () => {
  it("shows every nonzero number, and why mails failed", () => {
    const progress = {
      queued: 98_000,
      sending: 10,
      sent: 1_990,
      failed: 3,
      expired: 1,
      cancelled: 2,
      suppressed: 4,
      inDoubt: 5,
    };
    const failures = [
      { reply: "554 5.7.1 DATA", count: 2 },
      { reply: null, count: 1 },
    ];
    expect(
      describeCampaign({ campaign: CAMPAIGN, progress, failures, hasWorker: true, now: NOW }),
    ).toEqual([
      "the-first-mile: sending",
      "  subject   The first mile",
      "  to        subscribers",
      "  start     Sunday 2026-11-22 12:00 local time (2026-11-22T11:00Z)",
      "  sent      1,990 of 100,010",
      "            98,010 to be sent",
      "            3 failed",
      "            1 given up: the mail server put them off for too long",
      "            4 not sent: on the suppression list",
      "            2 not sent: unsubscribed in the meantime",
      "            5 may have arrived twice: the mail server's answer was lost",
      "  failed    2 with 554 5.7.1 DATA",
      "  failed    1 with no answer",
    ]);
  });

  it.each([
    ["finished", { sent: 5 }, {}],
    ["sending", { queued: 1, sent: 4 }, {}],
    ["paused", { queued: 1 }, { state: "paused" as const }],
    [
      "paused by the program: 20 refusals in a row",
      { queued: 1 },
      { state: "paused" as const, pauseReason: "20 refusals in a row" },
    ],
    ["canceled", { cancelled: 1, sent: 1 }, { state: "cancelled" as const }],
    ["scheduled, starts in 2 h", { queued: 1 }, { startAt: new Date("2026-11-22T14:00:00Z") }],
  ])("says '%s'", (phase, progress, changes) => {
    const facts = { campaign: { ...CAMPAIGN, ...changes }, progress: { ...NONE, ...progress } };
    expect(campaignPhase({ ...facts, hasWorker: true, now: NOW })).toBe(phase);
  });
});
