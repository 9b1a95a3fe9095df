import { beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { ConnectionError } from "~db/database-errors";
import { MailFailure } from "./mail-failure.server";
import type { MailMessage } from "./mail-message";
import { type MailJob, MailQueue, type MailQueueOptions } from "./mail-queue.server";

beforeAll(() => setEnvironment({ LOG_LEVEL: "silent" }));

const mailTo = (to: string): MailMessage => ({ to, subject: "", text: "", html: "" });
const job = (to: string): MailJob => ({ purpose: "test", compose: async () => mailTo(to) });

const failure = (temporary: boolean) =>
  new MailFailure({ code: "E", responseCode: null, temporary, advice: "Mend it." });

type Options = Omit<Partial<MailQueueOptions>, "send"> & {
  send?: (message: MailMessage) => Promise<unknown>;
};

function queueOf({ send = async () => {}, ...options }: Options) {
  return new MailQueue({
    send: async (message) => {
      await send(message);
      return "smtp";
    },
    concurrency: 3,
    capacity: 100,
    retryDelays: [1, 1],
    ...options,
  });
}

/** A `send` that blocks each mail until the test releases it. */
function blockedSend() {
  const held: { to: string; go: () => void }[] = [];
  const send = ({ to }: MailMessage) =>
    new Promise<void>((resolve) => held.push({ to, go: resolve }));
  const waitFor = async (count: number) => {
    while (held.length < count) await new Promise(setImmediate);
  };
  return { held, send, waitFor };
}

describe("the mail queue", () => {
  it("sends all queued mail in order", async () => {
    const sent: string[] = [];
    const queue = queueOf({ concurrency: 1, send: async ({ to }) => void sent.push(to) });
    for (const to of ["a", "b", "c"]) expect(queue.add(job(to))).toBe(true);
    expect(sent).toEqual([]);
    await queue.idle();
    expect(sent).toEqual(["a", "b", "c"]);
  });

  it("keeps to its concurrency limit", async () => {
    const { held, send, waitFor } = blockedSend();
    const queue = queueOf({ concurrency: 2, send });
    for (const to of ["a", "b", "c", "d"]) queue.add(job(to));
    await waitFor(2);
    await new Promise(setImmediate);
    expect(held.map(({ to }) => to)).toEqual(["a", "b"]);
    held[0]?.go();
    await waitFor(3);
    expect(held.map(({ to }) => to)).toEqual(["a", "b", "c"]);
    for (const { go } of held) go();
    await waitFor(4);
    held[3]?.go();
    await queue.idle();
  });

  it("rejects mail when it is full, and accepts it again when there is room", async () => {
    const { held, send, waitFor } = blockedSend();
    const queue = queueOf({ capacity: 2, send });
    expect([job("a"), job("b"), job("c")].map((each) => queue.add(each))).toEqual([
      true,
      true,
      false,
    ]);
    await waitFor(2);
    for (const { go } of held) go();
    await queue.idle();
    expect(queue.add(job("d"))).toBe(true);
  });

  it("retries a mail after a temporary failure, without composing it again", async () => {
    let attempts = 0;
    let composed = 0;
    const queue = queueOf({
      send: async () => {
        attempts += 1;
        if (attempts < 3) throw failure(true);
      },
    });
    queue.add({
      purpose: "test",
      compose: async () => {
        composed += 1;
        return mailTo("a");
      },
    });
    await queue.idle();
    expect({ attempts, composed }).toEqual({ attempts: 3, composed: 1 });
  });

  it.each([
    ["at once when the failure is permanent", false, 1],
    ["after the last attempt", true, 3],
  ])("drops a mail %s, and continues with the next", async (_when, temporary, wanted) => {
    let attempts = 0;
    const sent: string[] = [];
    const queue = queueOf({
      concurrency: 1,
      send: async ({ to }) => {
        if (to !== "bad") return void sent.push(to);
        attempts += 1;
        throw failure(temporary);
      },
    });
    queue.add(job("bad"));
    queue.add(job("good"));
    await queue.idle();
    expect(attempts).toBe(wanted);
    expect(sent).toEqual(["good"]);
  });

  it("retries composing a mail when the database was unavailable, but not after any other error", async () => {
    const sent: string[] = [];
    const queue = queueOf({ send: async ({ to }) => void sent.push(to) });
    let attempts = 0;
    queue.add({
      purpose: "test",
      compose: async () => {
        attempts += 1;
        if (attempts === 1) throw new ConnectionError("ECONNREFUSED", "away");
        return mailTo("a");
      },
    });
    let faults = 0;
    queue.add({
      purpose: "test",
      compose: async () => {
        faults += 1;
        throw new Error("a fault");
      },
    });
    await queue.idle();
    expect(sent).toEqual(["a"]);
    expect(faults).toBe(1);
  });

  it("sends nothing when compose returns null", async () => {
    const sent: string[] = [];
    const queue = queueOf({ send: async ({ to }) => void sent.push(to) });
    queue.add({ purpose: "test", compose: async () => null });
    await queue.idle();
    expect(sent).toEqual([]);
  });

  it("finishes mail being sent when it closes, and accepts no more", async () => {
    const { held, send, waitFor } = blockedSend();
    const queue = queueOf({ send });
    queue.add(job("a"));
    await waitFor(1);
    let closed = false;
    const closing = queue.close(60_000).then(() => {
      closed = true;
    });
    expect(queue.add(job("b"))).toBe(false);
    await new Promise(setImmediate);
    expect(closed).toBe(false);
    held[0]?.go();
    await closing;
  });

  it("retries a mail that waits for its next attempt at once when it closes", async () => {
    const sent: string[] = [];
    let failures = 0;
    const queue = queueOf({
      retryDelays: [60_000],
      send: async ({ to }) => {
        if (failures++ === 0) throw failure(true);
        sent.push(to);
      },
    });
    queue.add(job("a"));
    while (failures === 0) await new Promise(setImmediate);
    await queue.close(60_000);
    expect(sent).toEqual(["a"]);
  });

  it("waits no longer than its timeout when it closes", async () => {
    const { send, waitFor } = blockedSend();
    const queue = queueOf({ send });
    queue.add(job("a"));
    await waitFor(1);
    await queue.close(1);
    expect(queue.add(job("b"))).toBe(false);
  });
});
