import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import type { MailKind } from "~/features/mail/mail-kinds";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { getDatabase } from "~db/client";
import { findSuppressionReason, suppressAddresses } from "~db/queries/suppressed-addresses";
import { everythingIn, watchLog } from "../support/log";
import { mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { freePorts } from "../support/ports.mjs";
import { openTestSite, type TestSite } from "../support/site";
import { startSmtpServer } from "../support/smtp";
import { type SmtpSink, type Step, startSmtpSink } from "../support/smtp-sink";
import { isFullRun } from "../support/test-scope.mjs";

const MESSAGE = { subject: "Hello", text: "A secret link.\n", html: "<p>A secret link.</p>" };

/** For anything that takes a poll or two on an idle machine. */
const SOON = { timeout: 60_000 };

let site: TestSite;
let sink: SmtpSink;
const workers: MailWorker[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
  site = await openTestSite({ variables: { SMTP_URL: sink.url } });
});
beforeEach(() => getDatabase().db.execute(sql`truncate mails, suppressed_addresses, mail_workers`));
afterEach(async () => {
  vi.restoreAllMocks();
  for (const worker of workers.splice(0)) await worker.stop(5_000);
  site.restoreEnvironment();
});
afterAll(async () => {
  await site.close();
  await sink.stop();
});

async function startWorker(options: Parameters<typeof runMailWorker>[0] = {}) {
  const worker = await runMailWorker(options);
  workers.push(worker);
  return worker;
}

const setMail = (variables: Record<string, string>) =>
  setEnvironment({ MAIL_FROM: "letters@book.test", LOG_LEVEL: "silent", ...variables });

let count = 0;
const newAddress = () => `reader-${++count}-${Date.now()}@example.test`;

const enqueue = (to: string, kind: MailKind = "account-welcome") =>
  enqueueMail({ kind, to, message: MESSAGE });

/** The addresses among these that got mail, once for each copy. */
async function delivered(addresses: string[]): Promise<string[]> {
  const all = (await sink.deliveries()).map(({ address }) => address);
  return all.filter((address) => addresses.includes(address));
}

type Row = { state: string; times_in_doubt: number; last_reply: string | null; wait_s: number };

/** The mail to an address, however it ended. */
async function rowOf(address: string): Promise<Row | undefined> {
  const [row] = await getDatabase().db.execute<Row>(
    sql`select *, extract(epoch from due_at - claimed_at)::float8 as wait_s from mails
        where address_hash = sha256(convert_to(${address}, 'UTF8'))`,
  );
  return row;
}

/** Makes retries due at once until every mail is finished. */
async function untilFinished(): Promise<void> {
  const left = async () => {
    const { db } = getDatabase();
    await db.execute(
      sql`update mails set due_at = now() where state = 'queued' and due_at > now()`,
    );
    wakeMailWorker();
    return (await db.execute(sql`select from mails where state in ('queued', 'sending')`)).length;
  };
  await vi.waitUntil(async () => (await left()) === 0, { timeout: 120_000, interval: 50 });
}

/** Queues a mail to an address, and has a worker process the queue. */
async function work(address: string): Promise<void> {
  await enqueue(address);
  await startWorker();
  await mailIdle();
}

describe("a queued mail", () => {
  it("is sent although nothing wakes the worker, and then its address and content are deleted", async () => {
    await startWorker();
    await mailIdle();
    const address = newAddress();
    await enqueue(address);
    await mailIdle();
    expect(await delivered([address])).toEqual([address]);
    expect(await rowOf(address)).toMatchObject({ state: "sent", recipient: null, message: null });
  });

  it("goes before less urgent ones", async () => {
    const notices = Array.from({ length: 30 }, newAddress);
    for (const address of notices) await enqueue(address, "account-welcome");
    const reset = newAddress();
    await enqueue(reset, "password-reset");
    await startWorker();
    await mailIdle();
    expect(await delivered([reset, ...notices])).toHaveLength(31);
    // mails claimed together are sent concurrently, in any order
    const firstClaimed = await getDatabase().db.execute<{ kind: string }>(
      sql`select kind from mails where claimed_at = (select min(claimed_at) from mails)`,
    );
    expect(firstClaimed.map(({ kind }) => kind)).toContain("password-reset");
    expect(firstClaimed.length).toBeLessThan(31);
  });

  it("is not sent once it has expired", async () => {
    const address = newAddress();
    await enqueue(address);
    await getDatabase().db.execute(sql`update mails set expires_at = now() - interval '1 s'`);
    await startWorker();
    await mailIdle();
    expect(await delivered([address])).toEqual([]);
    const deleted = { state: "expired", recipient: null, message: null };
    expect(await rowOf(address)).toMatchObject(deleted);
  });

  it("uses no more connections than MAIL_CONNECTIONS", async () => {
    setMail({ SMTP_URL: sink.url, MAIL_CONNECTIONS: "3" });
    const addresses = Array.from({ length: 40 }, newAddress);
    await sink.script(Object.fromEntries(addresses.map((address) => [address, [{ wait: 5 }]])));
    for (const address of addresses) await enqueue(address);
    const before = await sink.mostAtOnce();
    await startWorker();
    await mailIdle();
    expect(await delivered(addresses)).toHaveLength(40);
    expect(await sink.mostAtOnce()).toBeLessThanOrEqual(Math.max(3, before));
  });
});

describe("a mail that the server refuses", () => {
  it("for now is retried after a minute, and records the codes", async () => {
    const address = newAddress();
    await sink.script({ [address]: [{ refuse: 451, at: "recipient" }] });
    await work(address);
    const row = await rowOf(address);
    expect(row).toMatchObject({ state: "queued", attempts: 1, last_reply: "451 RCPT TO" });
    // counted from the attempt, with jitter
    expect(row?.wait_s).toBeGreaterThan(40);
    expect(row?.wait_s).toBeLessThan(120);
    await untilFinished();
    expect(await delivered([address])).toEqual([address]);
  });

  it("for good is listed as failed, in one log line without the address", async () => {
    const address = newAddress();
    await sink.script({ [address]: [{ refuse: 554, at: "message" }] });
    const lines = watchLog();
    await work(address);
    expect(await rowOf(address)).toMatchObject({
      state: "failed",
      last_reply: "554 DATA",
      // for as long as it can be sent again
      recipient: address,
      message: MESSAGE,
    });
    expect(lines).toEqual([
      {
        level: "error",
        message: "a mail was given up",
        facts: expect.objectContaining({ kind: "account-welcome", reply: "554 DATA" }),
      },
    ]);
    expect(everythingIn(lines)).not.toMatch(/reader-|example\.test|secret/);
  });

  it("for an unknown mailbox suppresses further notices, but not mail its owner asks for", async () => {
    const address = newAddress();
    await sink.script({ [address]: [{ refuse: 550, at: "recipient" }] });
    await work(address);
    expect(await rowOf(address)).toMatchObject({ state: "failed", recipient: null, message: null });
    await getDatabase().db.execute(sql`delete from mails`);

    await enqueue(address.toUpperCase());
    await mailIdle();
    expect((await rowOf(address))?.state).toBe("suppressed");
    expect(await delivered([address])).toEqual([]);
    await getDatabase().db.execute(sql`delete from mails`);

    // accepted after all, so the suppression ends
    await enqueue(address, "newsletter-confirmation");
    await mailIdle();
    await enqueue(address);
    await mailIdle();
    expect(await delivered([address])).toEqual([address, address]);
  });
});

it("a notice, as of a membership, is sent to somebody who left the newsletter", async () => {
  const address = newAddress();
  await suppressAddresses([address], "unsubscribed");
  await work(address);
  expect(await delivered([address])).toEqual([address]);
  expect(await findSuppressionReason(address)).toBe("unsubscribed");
});

describe("while the mail server cannot be used", () => {
  it("all mail waits without losing an attempt, logs one line, and is then sent", async () => {
    const addresses = Array.from({ length: 25 }, newAddress);
    await sink.close(421);
    for (const address of addresses) await enqueue(address);
    const lines = watchLog();
    await startWorker();
    await vi.waitUntil(() => lines.some(({ message }) => message.includes("cannot be used")), SOON);
    const [circuit] = await getDatabase().db.execute(
      sql`select count(*)::int as waiting, max(attempts) as attempts from mails where state = 'queued'`,
    );
    expect(circuit?.attempts).toBe(0);
    await sink.close(null);
    await untilFinished();
    expect((await delivered(addresses)).toSorted()).toEqual(addresses.toSorted());
    const shown = lines.filter(({ level }) => level !== "debug").map(({ message }) => message);
    expect(shown.filter((message) => message.includes("cannot be used"))).toHaveLength(1);
    expect(shown.filter((message) => message.includes("can be used again"))).toHaveLength(1);
  });

  it("its return is noticed even with an empty queue", async () => {
    const untilCircuit = (isOpen: boolean) =>
      vi.waitUntil(async () => {
        const [worker] = await getDatabase().db.execute(
          sql`select circuit_open_since is not null as open from mail_workers`,
        );
        return worker?.open === isOpen;
      }, SOON);
    const port = await freePorts(1);
    setMail({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    await enqueue(newAddress());
    await startWorker();
    await untilCircuit(true);
    // one that the worker holds would still be delivered
    await vi.waitUntil(async () => {
      const query = sql`delete from mails where state = 'queued' returning id`;
      return (await getDatabase().db.execute(query)).length === 1;
    }, SOON);
    const smtp = await startSmtpServer({ port });
    try {
      await untilCircuit(false);
      expect(smtp.delivered).toEqual([]);
    } finally {
      await smtp.close();
    }
  });
});

describe("a worker that stops", () => {
  it("finishes a mail that is being sent", async () => {
    const address = newAddress();
    await sink.script({ [address]: [{ wait: 500 }] });
    await enqueue(address);
    const worker = await runMailWorker();
    await vi.waitUntil(async () => (await rowOf(address))?.state === "sending", SOON);
    await worker.stop(5_000);
    expect(await rowOf(address)).toMatchObject({ state: "sent", times_in_doubt: 0 });
  });

  it("waits no longer than its limit, and queues the mail again as in doubt", async () => {
    const address = newAddress();
    await sink.script({ [address]: [{ wait: 3_000 }] });
    await enqueue(address);
    const lines = watchLog();
    const worker = await runMailWorker();
    await vi.waitUntil(async () => (await sink.concurrency()) === 1, SOON);
    await worker.stop(1);
    expect(await rowOf(address)).toMatchObject({ state: "queued", times_in_doubt: 1 });
    expect(lines.map(({ facts }) => facts)).toContainEqual({ unfinished: 1 });
    const [left] = await getDatabase().db.execute(sql`select 1 from mail_workers`);
    expect(left).toBeUndefined();
  });
});

describe("a worker that dies", () => {
  /** A mail claimed by a worker that was last seen this many seconds ago. */
  async function claimedBy(address: string, silentForS: number): Promise<void> {
    await enqueue(address);
    await getDatabase().db.execute(sql`
      with worker as (
        insert into mail_workers (id, heartbeat_at)
        values (gen_random_uuid(), now() - make_interval(secs => ${silentForS})) returning id
      )
      update mails set state = 'sending', worker_id = worker.id, claimed_at = now() from worker
      where address_hash = sha256(convert_to(${address}, 'UTF8'))`);
  }

  it("has its mail sent by another one after 20 seconds, counted as in doubt, and not before", async () => {
    const [lost, recent] = [newAddress(), newAddress()];
    await claimedBy(recent, 5);
    await claimedBy(lost, 21);
    await startWorker();
    await vi.waitUntil(async () => (await rowOf(lost))?.state === "sent", SOON);
    expect(await delivered([lost, recent])).toEqual([lost]);
    expect(await rowOf(lost)).toMatchObject({ times_in_doubt: 1 });
    expect(await rowOf(recent)).toMatchObject({ state: "sending", times_in_doubt: 0 });
  });
});

describe("when connections to the database are lost", () => {
  it("a mail is sent whose claim's response was lost, and is not in doubt", async () => {
    await startWorker();
    const [lost, recent] = [newAddress(), newAddress()];
    for (const [address, seconds] of [
      [lost, 16],
      [recent, 0],
    ] as const) {
      await getDatabase().db.execute(sql`
        insert into mails (kind, priority, recipient, address_hash, message, expires_at, state, worker_id, claimed_at)
        select 'account-welcome', 1, ${address}, sha256(convert_to(${address}, 'UTF8')),
          ${JSON.stringify(MESSAGE)}::jsonb, now() + interval '1 day', 'sending', id,
          now() - make_interval(secs => ${seconds})
        from mail_workers`);
    }
    await vi.waitUntil(async () => (await rowOf(lost))?.state === "sent", SOON);
    expect(await rowOf(lost)).toMatchObject({ times_in_doubt: 0 });
    expect(await rowOf(recent)).toMatchObject({ state: "sending" });
  });
});

/** Failures of an SMTP conversation, for one address. */
const step = fc.oneof(
  fc.record({
    refuse: fc.constantFrom(450, 451, 452, 550, 552, 554),
    at: fc.constantFrom("recipient" as const, "message" as const),
  }),
  fc.record({
    drop: fc.constantFrom("recipient" as const, "unaccepted" as const, "accepted" as const),
  }),
  fc.record({ wait: fc.integer({ min: 0, max: 50 }) }),
);

describe("whatever the mail server does", () => {
  async function checkScripts(scripts: Step[][]): Promise<void> {
    const addresses = scripts.map(newAddress);
    await sink.script(
      Object.fromEntries(addresses.map((address, i) => [address, scripts[i] ?? []])),
    );
    for (const address of addresses) await enqueue(address);
    wakeMailWorker();
    await untilFinished();
    const deliveries = await sink.deliveries();
    for (const [i, address] of addresses.entries()) {
      const script = scripts[i] ?? [];
      const copies = deliveries.filter((each) => each.address === address);
      const row = await rowOf(address);
      const about = JSON.stringify({ script, row, copies: copies.length });
      const unsaid = script.filter((each) => "drop" in each && each.drop === "accepted").length;
      if (row?.state === "failed") {
        const hasReason = (each: Step) =>
          "refuse" in each || ("drop" in each && each.drop !== "recipient");
        expect(script.some(hasReason), about).toBe(true);
        expect(row.last_reply, about).toMatch(/^(4|5)\d\d |^no answer/);
        expect(copies.length, about).toBeLessThanOrEqual(unsaid);
      } else {
        expect(row, about).toMatchObject({ state: "sent", recipient: null, message: null });
        expect(copies.length, about).toBeGreaterThan(0);
        expect(copies.length - 1, about).toBeLessThanOrEqual(unsaid);
      }
      // receivers can recognize a second copy, and the operator knows that there may be one
      expect(new Set(copies.map(({ messageId }) => messageId)).size, about).toBeLessThanOrEqual(1);
      expect(row?.times_in_doubt, about).toBeGreaterThanOrEqual(copies.length - 1);
    }
  }

  it("each mail is delivered once or listed as failed, and twice only if a response was lost", {
    timeout: 240_000,
  }, async () => {
    await startWorker();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 4 }), { minLength: 5, maxLength: 40 }),
        checkScripts,
      ),
      { numRuns: isFullRun ? 25 : 5, interruptAfterTimeLimit: 150_000 },
    );
  });
});
