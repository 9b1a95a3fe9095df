import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { campaignPhase, describeCampaign, listCampaigns } from "./campaign-report";

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
  it("has every number that is not nothing, and why mails failed", () => {
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

  it("of a cancelled one says what was in hand and what nobody gets, and no number that is nothing", () => {
    const campaign = { ...CAMPAIGN, state: "cancelled" as const };
    const progress = { ...NONE, sending: 2, sent: 3, cancelled: 5 };
    const facts = { campaign, progress, failures: [], hasWorker: true, now: NOW };
    expect(describeCampaign(facts).slice(4)).toEqual([
      "  sent      3 of 10",
      "            2 in hand when it was cancelled: delivered or given up within minutes",
      "            5 cancelled",
    ]);
  });

  it.each([
    ["finished", { sent: 5 }, {}],
    ["sending", { queued: 1, sent: 4 }, {}],
    ["sending", { sending: 1, sent: 4 }, {}],
    ["paused", { queued: 1 }, { state: "paused" as const }],
    [
      "paused by the program: 20 refusals in a row",
      { queued: 1 },
      { state: "paused" as const, pauseReason: "20 refusals in a row" },
    ],
    ["cancelled", { cancelled: 1, sent: 1 }, { state: "cancelled" as const }],
    ["scheduled, starts in 2 h", { queued: 1 }, { startAt: new Date("2026-11-22T14:00:00Z") }],
    ["scheduled", {}, { startAt: new Date("2026-11-22T14:00:00Z") }],
    ["sending", { queued: 1 }, { startAt: NOW }],
    ["finished", { sent: 1 }, { startAt: NOW }],
  ])("says '%s'", (phase, progress, changes) => {
    const facts = { campaign: { ...CAMPAIGN, ...changes }, progress: { ...NONE, ...progress } };
    expect(campaignPhase({ ...facts, hasWorker: true, now: NOW })).toBe(phase);
  });

  it("says if no site runs that could send", () => {
    expect(
      campaignPhase({
        campaign: CAMPAIGN,
        progress: { ...NONE, queued: 1 },
        hasWorker: false,
        now: NOW,
      }),
    ).toBe("waiting for a running site");
  });
});

describe("a list of campaigns", () => {
  it("says of each how many have it, how many will not get it, and what is happening", () => {
    const listed = [
      {
        campaign: { ...CAMPAIGN, slug: "the-second-mile" },
        progress: { ...NONE, queued: 60_000, sent: 40_000, failed: 3, expired: 1 },
      },
      { campaign: CAMPAIGN, progress: { ...NONE, sent: 12 } },
    ];
    expect(listCampaigns(listed, { hasWorker: true, now: NOW })).toEqual([
      "ISSUE            START       SENT               FAILED",
      "the-second-mile  2026-11-22  40,000 of 100,004  4       sending",
      "the-first-mile   2026-11-22  12 of 12           0       finished",
    ]);
  });
});
