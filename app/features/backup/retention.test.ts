import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backupName, backupTime } from "./backup-name";
import { expiredBackups } from "./due-backup.server";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);
const day = (time: Date) => time.toISOString().slice(0, 10);

/** Returns the backups left after making one at every interval up to now, deleting expired ones each time. */
function keptAfter(everyMs: number, forMs: number): Date[] {
  let kept: Date[] = [];
  for (let time = NOW.getTime() - forMs; time <= NOW.getTime(); time += everyMs) {
    kept.push(new Date(time));
    const expired = new Set(expiredBackups(kept, new Date(time)));
    kept = kept.filter((backup) => !expired.has(backup));
  }
  return kept;
}

describe("retention of daily backups over three years", () => {
  const kept = keptAfter(DAY, 3 * 365 * DAY);

  it("keeps the last seven days", () => {
    const wanted = Array.from({ length: 7 }, (_, days) => day(ago(days * DAY)));
    expect(kept.map(day)).toEqual(expect.arrayContaining(wanted));
  });

  it("keeps the last five weeks, by their Sunday", () => {
    const sundays = ["2026-11-22", "2026-11-15", "2026-11-08", "2026-11-01"];
    expect(kept.map(day)).toEqual(expect.arrayContaining(sundays));
  });

  it("keeps the last twelve months, by their last day", () => {
    const ends = ["2025-12-31", "2026-01-31", "2026-02-28", "2026-09-30", "2026-10-31"];
    expect(kept.map(day)).toEqual(expect.arrayContaining(ends));
    expect(new Set(kept.map((time) => time.toISOString().slice(0, 7))).size).toBe(12);
  });

  it("keeps nothing else", () => {
    expect(kept.length).toBeLessThanOrEqual(7 + 5 + 12);
  });
});

it("keeps every backup of the last 24 hours, if there are several a day", () => {
  const kept = keptAfter(HOUR, 60 * DAY);
  expect(kept.filter((time) => time > ago(DAY))).toHaveLength(24);
});

it("deletes nothing after years of downtime", () => {
  const old = [ago(900 * DAY), ago(901 * DAY), ago(1000 * DAY)];
  expect(expiredBackups(old, NOW)).toEqual([]);
});

describe("retention of any backups", () => {
  const times = fc.array(
    fc.integer({ min: -40 * DAY, max: 2_000 * DAY }).map((age) => ago(age)),
    { maxLength: 200 },
  );
  const check = (property: (all: Date[], kept: Date[]) => void) =>
    fc.assert(
      fc.property(times, (all) => {
        const expired = new Set(expiredBackups(all, NOW));
        property(
          all,
          all.filter((time) => !expired.has(time)),
        );
      }),
    );

  it("keeps the newest and those dated in the future", () => {
    check((all, kept) => {
      const past = all.filter((time) => time <= NOW).map(Number);
      if (past.length > 0) expect(kept.map(Number)).toContain(Math.max(...past));
      const future = all.filter((time) => time > NOW);
      expect(kept).toEqual(expect.arrayContaining(future));
    });
  });

  it("deletes nothing more when run again", () => {
    check((_, kept) => expect(expiredBackups(kept, NOW)).toEqual([]));
  });
});

describe("a backup's name", () => {
  it("contains its time, to the second", () => {
    const name = backupName(new Date("2026-11-23T04:05:06.789Z"));
    expect(name).toBe("golden-path-20261123T040506Z.tar.gz");
    expect(backupTime(name)).toEqual(new Date("2026-11-23T04:05:06Z"));
  });

  it.each([
    "golden-path-20261123T040506Z.tar.gz.part",
    "golden-path-20260231T040506Z.tar.gz",
    "backup.tar.gz",
  ])("is not %s", (name) => {
    expect(backupTime(name)).toBeNull();
  });
});
