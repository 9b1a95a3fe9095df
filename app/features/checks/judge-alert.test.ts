import { describe, expect, it } from "vitest";
import { judgeAlert } from "./site-check.server";

const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const alert = {
  seenAt: ago(1),
  goodSince: null as Date | null,
  reportedAt: ago(30) as Date | null,
};
const judge = (changes: Partial<typeof alert> | null, state: "bad" | "good" | "unknown") =>
  judgeAlert(changes && { ...alert, ...changes }, { kind: "disk-low", state }, NOW);

describe("judgeAlert", () => {
  it("opens when bad, and changes nothing while unknown", () => {
    expect(judge(null, "bad")).toBe("open");
    expect(judge(null, "good")).toBe("none");
    for (const known of [null, {}, { goodSince: ago(60) }]) {
      expect(judge(known, "unknown")).toBe("none");
    }
  });

  it("keeps an alert once an hour, and when it is bad again before it is resolved", () => {
    expect(judge({}, "bad")).toBe("none");
    expect(judge({ seenAt: ago(60) }, "bad")).toBe("keep");
    expect(judge({ goodSince: ago(14) }, "bad")).toBe("keep");
  });

  it("deletes an alert that recovers before it was reported", () => {
    expect(judge({ reportedAt: null }, "good")).toBe("forget");
    expect(judge({ goodSince: ago(15), reportedAt: null }, "good")).toBe("forget");
  });

  it("resolves after a quarter of an hour of good readings", () => {
    expect(judge({}, "good")).toBe("wait");
    expect(judge({ goodSince: ago(14) }, "good")).toBe("none");
    expect(judge({ goodSince: ago(15) }, "good")).toBe("resolve");
  });
});
