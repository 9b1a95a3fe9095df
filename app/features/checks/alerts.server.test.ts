import { describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { noteBackupAttempt, noteNewestBackup } from "~/features/backup/backup-state.server";
import { setEditionState } from "~/features/library/importer/edition-state.server";
import type { HealthFacts } from "~db/queries/operator-facts";
import type { OperatorAlert } from "~db/schema";
import { readAlerts } from "./alerts.server";

const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const HOUR = 60;

const WELL: HealthFacts = {
  signals: {},
  workers: { running: 1, waiting: 0, waitingSince: null, reason: null },
  mail: {
    sent: 1,
    refused: 0,
    reply: null,
    lastRefusedAt: null,
    lastSentAt: ago(HOUR),
  },
  pausedIssues: [],
  complaints: [],
  connections: { used: 10, max: 100 },
  crashes: 0,
};

const stateOf = (kind: string, facts: Partial<HealthFacts>) =>
  readAlerts({ ...WELL, ...facts }, [], "here", NOW).find((one) => one.kind === kind)?.state;

const signal = (count: number, firstAt: string, lastAt = firstAt) => ({ count, firstAt, lastAt });

describe("readAlerts", () => {
  it("returns good for a healthy site", () => {
    setEditionState("taken");
    const states = readAlerts(WELL, [], "here", NOW).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["good"]));
  });

  it.each([
    [2, 1, "unknown"],
    [3, 1, "bad"],
    [9, 71 * HOUR, "bad"],
    [9, 73 * HOUR, "good"],
  ])("webhooks: %i refused, last one %i minutes ago: %s", (count, minutes, state) => {
    const signals = { "webhook-refused": signal(count, ago(minutes)) };
    expect(stateOf("webhooks-refused", { signals })).toBe(state);
  });

  it("webhooks: adds livemode mismatches to wrong signatures", () => {
    const signals = {
      "webhook-refused": signal(2, ago(1)),
      "webhook-livemode-mismatch": signal(1, ago(1)),
    };
    expect(stateOf("webhooks-refused", { signals })).toBe("bad");
  });

  it.each([
    [5 * HOUR, "unknown"],
    [6 * HOUR + 1, "bad"],
  ])("webhooks: none since a payment %i minutes ago: %s", (minutes, state) => {
    const signals = { "payment-without-webhook": signal(1, ago(minutes)) };
    expect(stateOf("webhooks-silent", { signals })).toBe(state);
  });

  it.each([
    [1, 1, 14, "unknown"],
    [1, 1, 16, "bad"],
    [2, 1, null, "unknown"],
    [2, 0, null, "good"],
    [0, 0, null, "unknown"],
  ])("mail: %i workers, %i waiting for %s minutes: %s", (running, waiting, minutes, state) => {
    const waitingSince = minutes === null ? null : ago(minutes);
    const workers = { ...WELL.workers, running, waiting, waitingSince };
    expect(stateOf("mail-waiting", { workers })).toBe(state);
  });

  it.each([
    [2, 0, "unknown"],
    [3, 0, "bad"],
    [3, 27, "bad"],
    [3, 28, "unknown"],
  ])("mail: %i refused and %i sent: %s", (refused, sent, state) => {
    const mail = { ...WELL.mail, refused, sent, lastRefusedAt: ago(5), lastSentAt: ago(60) };
    expect(stateOf("mail-refused", { mail })).toBe(state);
  });

  it.each([
    [7 * HOUR, 5, "good"],
    [5 * HOUR, 5, "bad"],
    [7 * HOUR, 8 * HOUR, "bad"],
  ])("mail: last refused %i and last sent %i minutes ago: %s", (refusedAgo, sentAgo, state) => {
    const dates = { lastRefusedAt: ago(refusedAgo), lastSentAt: ago(sentAgo) };
    expect(stateOf("mail-refused", { mail: { ...WELL.mail, refused: 4, sent: 1, ...dates } })).toBe(
      state,
    );
  });

  it("mail: does not resolve a refusal while nothing is sent", () => {
    const mail = { ...WELL.mail, sent: 0, refused: 0, lastRefusedAt: null, lastSentAt: null };
    expect(stateOf("mail-refused", { mail })).toBe("unknown");
  });

  it.each([
    [3, 3001, "unknown"],
    [3, 3000, "bad"],
  ])("complaints: %i of %i mails: %s", (complaints, sent, state) => {
    const issue = { id: "1", slug: "an-issue", complaints, sent };
    expect(stateOf("issue-complaints", { complaints: [issue] })).toBe(state);
  });

  it.each([
    [90, "bad"],
    [89, "unknown"],
    [75, "unknown"],
    [74, "good"],
  ])("connections: %i of 100: %s", (used, state) => {
    expect(stateOf("connections-low", { connections: { used, max: 100 } })).toBe(state);
  });

  it.each([
    [29, 2, "good"],
    [31, 2, "bad"],
    // a new process gets an hour to make a missed backup
    [31, 0.5, "unknown"],
  ])("backups: newest %i hours old, %s hours after the start: %s", (age, uptime, state) => {
    setEnvironment({ BACKUP_DIR: "/backups", BACKUP_EVERY: "1d", LOG_LEVEL: "silent" });
    const now = new Date(performance.timeOrigin + uptime * HOUR * 60_000);
    noteNewestBackup(new Date(now.getTime() - age * HOUR * 60_000));
    noteBackupAttempt(true);
    expect(readAlerts(WELL, [], "here", now)).toContainEqual(
      expect.objectContaining({ state, key: "backup-late:here" }),
    );
    setEnvironment({});
  });

  it.each([
    [0, "good"],
    [2, "unknown"],
    [3, "bad"],
  ])("%i crashes: %s", (crashes, state) => {
    expect(readAlerts({ ...WELL, crashes }, [], "here", NOW)).toContainEqual(
      expect.objectContaining({ state, key: "crash-loop:here" }),
    );
  });

  it.each([
    [0, NOW, false],
    [1, null, false],
    [1, NOW, true],
  ])("a refused checkout is over once Stripe has opened one and it was reported", (...one) => {
    const [opened, reportedAt, isOver] = one;
    const key = "checkout-refused";
    const alert = { kind: key, key, facts: { opened }, reportedAt } as unknown as OperatorAlert;
    const readings = readAlerts(WELL, [alert], "here", NOW).filter(({ kind }) => kind === key);
    expect(readings.map(({ state }) => state)).toEqual(isOver ? ["good"] : []);
  });
});
