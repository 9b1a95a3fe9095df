import { type AreaFinding, ok, problem } from "./finding";
import type { Limits } from "./limits";

/** How far another clock is ahead of this machine's, in seconds. */
export type ClockDifference = { whose: string; seconds: number };

/** The difference of a Date header, which counts whole seconds; null without one. */
export function differenceOf(whose: string, date: unknown, now: number): ClockDifference | null {
  const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? null : { whose, seconds: (time + 500 - now) / 1_000 };
}

/** Whether this machine's clock agrees with those of others. */
export function judgeClock(others: ClockDifference[], { clockSeconds }: Limits): AreaFinding {
  const what = "clock";
  if (others.length === 0) return ok(what, "nothing to compare it with");
  const apart = others.filter(({ seconds }) => Math.abs(seconds) > clockSeconds);
  if (apart.length === 0)
    return ok(what, `agrees with ${others.map(({ whose }) => whose).join(", ")}`);
  const found = apart.map(
    ({ whose, seconds }) =>
      `${whose} is ${spell(Math.abs(seconds))} ${seconds > 0 ? "ahead" : "behind"}`,
  );
  // when all agree with each other, it is this one that is wrong
  const machine =
    apart.length === others.length ? "this machine" : apart.map(({ whose }) => whose).join(" and ");
  return problem(
    what,
    found.join("; "),
    `Let ${machine} set the clock by NTP ('timedatectl set-ntp true').`,
  );
}

function spell(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}
