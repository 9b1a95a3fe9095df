import { describe, expect, it } from "vitest";
import { judgeDelivery } from "./delivery-outcome";
import type { Delivery } from "./mail-transport";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const judge = (
  delivery: Delivery,
  mail: { attempts?: number; timesInDoubt?: number; expiresAt?: number } = {},
) => judgeDelivery(delivery, { attempts: 0, timesInDoubt: 0, expiresAt: 5 * DAY, ...mail }, 0, 0.5);

const refused = (
  stage: "MAIL FROM" | "RCPT TO" | "DATA",
  code: number,
  enhanced: string | null = null,
): Delivery => ({ kind: "refused", stage, code, enhanced });

const retriedAfter = (delayMs: number) => ({
  kind: "retry",
  delayMs,
  countsAttempt: true,
  inDoubt: false,
});
const failed = { kind: "failed", inDoubt: false, suppressAddress: false };
const heldBack = { kind: "retry", delayMs: 0, countsAttempt: false, inDoubt: false };

describe("a mail after a delivery attempt", () => {
  it("is sent when the server accepts it", () => {
    expect(judge({ kind: "accepted" })).toEqual({
      next: { kind: "sent" },
      server: "works",
      reply: null,
    });
  });

  it("waits without counting an attempt while the server is unreachable", () => {
    const delivery = {
      kind: "not-sent",
      phase: "connecting",
      code: "ECONNREFUSED",
      advice: "",
    } as const;
    expect(judge(delivery)).toEqual({
      next: heldBack,
      server: "unavailable",
      reply: "ECONNREFUSED",
    });
  });

  it.each([refused("MAIL FROM", 451, "4.3.2"), refused("MAIL FROM", 550)])(
    "waits without counting an attempt when the sender is refused: %o",
    (delivery) => {
      expect(judge(delivery)).toMatchObject({ next: heldBack, server: "unavailable" });
    },
  );

  it("is retried soon when the connection was lost during sending", () => {
    const delivery = {
      kind: "not-sent",
      phase: "sending",
      code: "ECONNECTION",
      advice: "",
    } as const;
    expect(judge(delivery)).toMatchObject({ next: retriedAfter(5_000), server: "drops" });
  });

  it.each([421, 503])("is retried soon when the server ends the session with %i", (code) => {
    expect(judge(refused("DATA", code))).toMatchObject({
      next: retriedAfter(5_000),
      server: "drops",
    });
  });

  it("is in doubt without a reply: resent twice, then failed", () => {
    const delivery = { kind: "unanswered", code: "ETIMEDOUT" } as const;
    const next = { kind: "retry", delayMs: 15 * MINUTE, countsAttempt: false, inDoubt: true };
    expect(judge(delivery)).toEqual({ next, server: "drops", reply: "no answer (ETIMEDOUT)" });
    expect(judge(delivery, { timesInDoubt: 1 }).next).toMatchObject({ delayMs: 60 * MINUTE });
    expect(judge(delivery, { timesInDoubt: 2 }).next).toEqual({ ...failed, inDoubt: true });
  });

  it.each([
    [refused("RCPT TO", 450, "4.2.0"), "works"],
    [refused("RCPT TO", 451), "works"],
    [refused("RCPT TO", 452, "4.5.3"), "busy"],
    [refused("DATA", 451, "4.7.1"), "busy"],
  ])("is retried later after a temporary refusal: %o", (delivery, server) => {
    expect(judge(delivery)).toMatchObject({ next: retriedAfter(MINUTE), server });
    expect(judge(delivery, { attempts: 2 }).next).toEqual(retriedAfter(15 * MINUTE));
  });

  it.each([
    refused("RCPT TO", 550),
    refused("RCPT TO", 550, "5.1.1"),
    refused("RCPT TO", 550, "5.2.1"),
    refused("DATA", 550, "5.1.1"),
  ])("fails and its address is suppressed if the mailbox does not exist: %o", (delivery) => {
    expect(judge(delivery)).toMatchObject({
      next: { kind: "failed", inDoubt: false, suppressAddress: true },
      server: "works",
    });
  });

  it.each([
    [refused("RCPT TO", 550, "5.7.1"), "blocks"],
    [refused("RCPT TO", 550, "5.4.1"), "works"],
    [refused("DATA", 550), "works"],
    [refused("DATA", 550, "5.7.26"), "blocks"],
    [refused("DATA", 552, "5.3.4"), "works"],
  ])(
    "fails without suppressing the address after another permanent refusal: %o",
    (delivery, server) => {
      expect(judge(delivery)).toMatchObject({ next: failed, server });
    },
  );

  it.each([
    refused("RCPT TO", 552),
    refused("RCPT TO", 452, "4.2.2"),
    refused("DATA", 552, "5.2.2"),
  ])("is retried three times when the mailbox is full: %o", (delivery) => {
    expect(judge(delivery)).toMatchObject({ next: retriedAfter(120 * MINUTE), server: "works" });
    expect(judge(delivery, { attempts: 3 }).next).toEqual(failed);
  });

  it("fails when it would expire before the next attempt", () => {
    const delivery = refused("RCPT TO", 451);
    expect(judge(delivery, { expiresAt: MINUTE + 1 }).next).toEqual(retriedAfter(MINUTE));
    expect(judge(delivery, { expiresAt: MINUTE }).next).toEqual(failed);
  });

  it("is described by codes only", () => {
    expect(judge(refused("RCPT TO", 550, "5.1.1")).reply).toBe("550 5.1.1 RCPT TO");
    expect(judge(refused("DATA", 554)).reply).toBe("554 DATA");
  });
});
