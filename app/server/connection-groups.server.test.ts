import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, ConnectionGroups } from "./connection-groups.server";

const HOME = { narrow: "192.0.2.1", wide: "192.0.2.0/24" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the least useful connection", () => {
  /** Which of two connections is closed, idle and busy for so many milliseconds. */
  function closed(idleFor: number | null, busyFor: number | null) {
    const group = new ConnectionGroups().enter(HOME);
    const connection = (age: number) => ({ since: Date.now() - age }) as Connection;
    const idle = idleFor === null ? null : connection(idleFor);
    const busy = busyFor === null ? null : connection(busyFor);
    if (idle) group.idle.push(idle);
    if (busy) group.busy.push(busy);
    const least = group.leastUseful();
    return least === undefined ? "none" : least.value === idle ? "idle" : "busy";
  }

  it.each([
    ["none", null, null],
    ["idle", 0, null],
    ["busy", null, 0],
    ["idle", 10, 10],
    ["idle", 10, 999],
    ["busy", 10, 1_000],
    ["busy", 999, 60_000],
    ["idle", 1_000, 60_000],
    ["idle", 60_000, 60_000],
    ["idle", 60_000, 10],
  ])("is the %s one of one idle for %s ms and one busy for %s ms", (least, idle, busy) => {
    expect(closed(idle, busy)).toBe(least);
  });
});

it("networks without connections are forgotten", () => {
  const groups = new ConnectionGroups();
  const [first, second] = [groups.enter(HOME), groups.enter({ ...HOME, narrow: "192.0.2.2" })];
  expect(first.wide).toBe(second.wide);
  groups.leave(first);
  expect([...second.wide.narrow.keys()]).toEqual(["192.0.2.2"]);
  groups.leave(second);
  expect(second.wide.narrow.size).toBe(0);
  expect(groups.largest()).toBeUndefined();
  expect(groups.enter(HOME).wide).not.toBe(second.wide);
});
