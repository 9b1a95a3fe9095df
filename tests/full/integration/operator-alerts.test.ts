import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { backUpIfDue } from "~/features/backup/due-backup.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { programPlace } from "~/features/checks/local-readings.server";
import { SiteCheck } from "~/features/checks/site-check.server";
import { startSiteWatch } from "~/features/checks/site-watch.server";
import { setEditionState } from "~/features/library/importer/edition-state.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { renderMail } from "~/features/mail/render-mail";
import { testMail } from "~/features/mail/templates/operator-mails";
import { writeCountedSignals } from "~/observability/operator-signals.server";
import { getDatabase } from "~db/client";
import { insertCampaign } from "~db/queries/campaigns";
import { pauseCampaign } from "~db/queries/mail-claims";
import { findOpenAlerts, insertAlert } from "~db/queries/operator-alerts";
import { insertProgramStart, recordProgramStop } from "~db/queries/program-starts";
import { eventually } from "../../support/eventually";
import { mailIdle } from "../../support/mail";
import { runMailWorker } from "../../support/mail-worker";
import { control, newMember } from "../../support/payments";
import { temporaryDirectory } from "../../support/program";
import { SESSION_SECRET } from "../../support/session-secret";
import { openTestSite, type TestSite } from "../../support/site";
import { mountSmallDisk } from "../../support/small-disk";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OPERATOR = "hand@operator.test";

let smtp: TestSmtpServer;
let site: TestSite;
let worker: MailWorker;
/** The fate of Stripe's deliveries. */
let webhooks: "arrive" | "are tampered with" | "are lost" = "arrive";
let refusal: { code: number; text: string } | null = null;
/** Every address and name that the tests have given the site. */
const personal = new Set<string>();

beforeAll(async () => {
  smtp = await startSmtpServer({
    refuse: (address) => (address.endsWith("@refused.test") ? refusal : null),
  });
  site = await openTestSite({
    payments: {
      webhook: async (request) => {
        if (webhooks === "are lost") return new Response("", { status: 503 });
        const body = await request.text();
        const sent = webhooks === "arrive" ? body : `${body} `;
        const answer = await receiveWebhook(sent, request.headers.get("stripe-signature"));
        return new Response(answer.message, { status: answer.status });
      },
    },
    variables: { ...environment(), ALLOW_PUBLIC_SANDBOX: "true" },
  });
  worker = await runMailWorker();
});
beforeEach(async () => {
  webhooks = "arrive";
  refusal = null;
  // a webhook of the previous test would count as this one's
  await control(site.sandboxOrigin, "webhooks/settle", { retries: true });
  await settle();
  await db().execute(
    sql`truncate operator_matters, operator_signals, program_starts, mails cascade`,
  );
  smtp.delivered.length = 0;
});
afterEach(async () => {
  const text = everythingMailed();
  for (const word of personal) expect(text).not.toContain(word);
  site.restoreEnvironment();
});
afterAll(async () => {
  await worker.stop(5_000);
  await site.close();
  await smtp.close();
});

const db = () => getDatabase().db;
const later = (milliseconds: number) => new Date(Date.now() + milliseconds);

/** Returns the subjects of the operator's mails, without the leading site name. */
const told = () =>
  mailsToOperator().map(({ headers }) => headers.subject?.replace(/^book\.test: /, ""));
const mailsToOperator = () =>
  smtp.delivered.filter(({ recipients }) => recipients.includes(OPERATOR));
const everythingMailed = () =>
  mailsToOperator()
    .map(({ headers, text, html }) => JSON.stringify({ subject: headers.subject, text, html }))
    .join();

/** Waits for work that requests leave behind. */
async function settle(): Promise<void> {
  await writeCountedSignals();
  await mailIdle();
}

/** Runs one check of the site as a program that has just started, optionally at a later time. */
async function look(now = new Date(), check = new SiteCheck(randomUUID(), now)): Promise<void> {
  await settle();
  await check.run(now);
  await mailIdle();
}

/** Runs two checks: the second must not repeat the first one's mail. */
async function lookTwice(): Promise<void> {
  await look();
  await look();
}

async function member() {
  const payer = await newMember(site.sandboxOrigin);
  personal.add(payer.email);
  return payer;
}

const webhookArrived = () =>
  eventually(async () => {
    await writeCountedSignals();
    const rows = await db().execute(
      sql`select from operator_signals where name = 'webhook-accepted'`,
    );
    expect(rows).toHaveLength(1);
  });

describe("a healthy site", () => {
  it("sends no alert, however often it is checked", async () => {
    await member();
    await webhookArrived();
    const check = new SiteCheck(randomUUID());
    for (const hours of [0, 1, 7, 30]) await look(later(hours * HOUR), check);
    expect(told()).toEqual([]);
    expect(await findOpenAlerts()).toEqual([]);
  });
});

describe("rejected webhooks", () => {
  it("are reported once, through restarts, and resolved once they are accepted again", async () => {
    webhooks = "are tampered with";
    await member();
    await eventually(async () => {
      await look();
      expect(told()).toEqual(["Stripe's webhooks are refused"]);
    });
    for (let restart = 0; restart < 3; restart++) await look(later(restart * 2 * HOUR));
    expect(told()).toHaveLength(1);
    expect(mailsToOperator()[0]?.text).toMatch(/golden-path stripe doctor/);

    webhooks = "arrive";
    await member();
    await webhookArrived();
    await lookTwice();
    expect(told().slice(1)).toEqual(["Stripe's webhooks are accepted again"]);
  });
});

describe("missing webhooks", () => {
  const age = () =>
    db().execute(sql`update operator_signals set first_at = first_at - interval '7 hours'
      where name = 'payment-without-webhook'`);

  it("are reported once if a payment was noticed hours ago, and resolved by the first that arrives", async () => {
    webhooks = "are lost";
    await member();
    await look();
    expect(told()).toEqual([]);
    await age();
    await look();
    await look(later(HOUR));
    expect(told()).toEqual(["Stripe's webhooks aren't arriving"]);

    webhooks = "arrive";
    await member();
    await webhookArrived();
    await look(later(2 * HOUR));
    await look(later(3 * HOUR));
    expect(told().slice(1)).toEqual(["Stripe's webhooks are arriving again"]);
  });

  it("raise no alert when the timer reads members without new payments", async () => {
    const { customer } = await member();
    await webhookArrived();
    await syncCustomer(customer);
    await age();
    await look();
    expect(told()).toEqual([]);
    expect(
      await db().execute(sql`select from operator_signals where name like 'payment%'`),
    ).toEqual([]);
  });
});

describe("mail", () => {
  const send = async (to: string) => {
    personal.add(to);
    const message = await renderMail(testMail({ siteUrl: "https://book.test" }));
    await enqueueMail({ kind: "account-welcome", to, message });
  };

  it("that waits for the mail server is reported once it works again", async () => {
    // the server ends every conversation
    refusal = { code: 421, text: "4.3.2 shutting down" };
    for (const name of ["a", "b", "c"]) await send(`${name}@refused.test`);
    const isWaiting = sql`select from mail_workers where circuit_open_since is not null`;
    await eventually(async () => expect(await db().execute(isWaiting)).toHaveLength(1));
    const run = (now: Date) => new SiteCheck(randomUUID(), now).run(now);
    await run(later(10 * MINUTE));
    expect(await findOpenAlerts()).toEqual([]);
    for (const minutes of [16, 17, 60]) await run(later(minutes * MINUTE));
    expect(await findOpenAlerts()).toMatchObject([{ kind: "mail-waiting", isMailed: false }]);

    refusal = null;
    await eventually(async () => expect(await db().execute(isWaiting)).toEqual([]));
    for (const minutes of [61, 62, 67, 68]) await look(later(minutes * MINUTE));
    expect(told()).toEqual(["Mail couldn't be sent for a while"]);
  });

  it("that is refused is reported once, and resolved once it is accepted again", async () => {
    refusal = { code: 554, text: "5.7.1 unsolicited" };
    for (const name of ["a", "b", "c"]) await send(`${name}@refused.test`);
    await lookTwice();
    expect(told()).toEqual(["The mail server is refusing mail"]);
    expect(mailsToOperator()[0]?.text).toContain("3 mails were refused in the last 24 hours");

    await db().execute(
      sql`update mails set finished_at = now() - interval '7 hours' where state = 'failed'`,
    );
    await send("taken@reader.test");
    await lookTwice();
    expect(told().slice(1)).toEqual(["The mail server is accepting mail again"]);
  });

  it.each(["452 4.2.2 RCPT TO", "552 5.2.2 DATA", "553 5.1.3 RCPT TO", "ECONNREFUSED"])(
    "that failed with '%s' raises no alert about the mail server",
    async (reply) => {
      await db().execute(sql`
      insert into mails (kind, priority, state, address_hash, expires_at, finished_at, last_reply)
      select 'account-welcome', 0, 'failed', '', now(), now(), ${reply} from generate_series(1, 5)`);
      await look();
      expect(told()).toEqual([]);
    },
  );

  it("of an issue that the program has paused is reported, without quotes from the mail server", async () => {
    const issue = { slug: "an-issue", subject: "An issue", previewText: "", markdown: "Text." };
    const campaign = await db().transaction((tx) =>
      insertCampaign({ ...issue, audience: "subscribers", startAt: new Date() }, tx),
    );
    personal.add("quoted@reader.test");
    await pauseCampaign(
      campaign?.id ?? "",
      "The mail server refused 20 mails in a row: 554 quoted@reader.test",
      db(),
    );
    await lookTwice();
    expect(told()).toEqual(["An issue of the newsletter is paused"]);
    await db().execute(sql`update campaigns set state = 'running', pause_reason = null`);
    await lookTwice();
    expect(told().slice(1)).toEqual(["The newsletter's issue continues"]);
  });
});

describe("the disk", () => {
  it("is reported once after being nearly full for minutes, even if it flaps, and resolved once there is room", async ({
    skip,
  }) => {
    const disk = mountSmallDisk(30);
    if (!disk) return skip("a disk of its own takes root and a kernel that allows mounting");
    try {
      setEnvironment({ ...environment(), DATA_DIR: disk.path });
      await look();
      disk.fill();
      await look(later(MINUTE));
      expect(told()).toEqual([]);
      await look(later(7 * MINUTE));
      await look(later(8 * MINUTE));
      expect(told()).toEqual(["The disk is nearly full"]);
      for (let minute = 10; minute < 60; minute += 4) {
        disk.makeRoom();
        await look(later(minute * MINUTE));
        disk.fill();
        await look(later((minute + 2) * MINUTE));
      }
      expect(told()).toHaveLength(1);

      disk.makeRoom();
      for (const minute of [70, 80, 86, 87]) await look(later(minute * MINUTE));
      expect(told().slice(1)).toEqual(["The disk has space again"]);

      // a repetition within a day waits, and is forgotten if it ends first
      disk.fill();
      for (const minute of [100, 110, 1_000]) await look(later(minute * MINUTE));
      disk.makeRoom();
      for (const minute of [1_010, 1_030]) await look(later(minute * MINUTE));
      expect(told()).toHaveLength(2);
      expect(await findOpenAlerts()).toEqual([]);
    } finally {
      disk.remove();
    }
  });
});

describe("the backup", () => {
  const home = temporaryDirectory();
  afterAll(() => home.remove());

  it("is reported after repeated failures, and resolved by a new backup", async () => {
    const folder = join(home.path, "backups");
    writeFileSync(folder, "a file where the folder should be");
    setEnvironment({ ...environment(), BACKUP_DIR: folder, BACKUP_EVERY: "1d" });
    await backUpIfDue(24 * HOUR);
    await look();
    expect(told()).toEqual([]);
    await backUpIfDue(24 * HOUR);
    await lookTwice();
    expect(told()).toEqual(["The backup is late"]);

    rmSync(folder);
    await backUpIfDue(24 * HOUR);
    await lookTwice();
    expect(told().slice(1)).toEqual(["There is a new backup"]);
  });
});

describe("a crash loop", () => {
  it("is reported after three crashes within half an hour, not after orderly stops", async () => {
    const place = await programPlace();
    const start = async () => {
      const id = randomUUID();
      await insertProgramStart({ id, place });
      return id;
    };
    for (let count = 0; count < 5; count++) await recordProgramStop(await start());
    await start();
    await start();
    await look();
    expect(told()).toEqual([]);
    await start();
    await lookTwice();
    expect(told()).toEqual(["The site keeps crashing"]);

    await db().execute(sql`update program_starts set started_at = now() - interval '31 minutes'`);
    await look();
    expect(told().slice(1)).toEqual(["The site is stable again"]);
  });
});

describe("a program's end is recorded", () => {
  it.each([
    ["as it was asked to", true, 0],
    ["after an uncaught error", false, 1],
  ])("%s", async (_, isOrderly, crashes) => {
    const stop = startSiteWatch();
    const running = sql`select from program_starts where stopped_at is null`;
    await eventually(async () => expect(await db().execute(running)).toHaveLength(1));
    await stop(isOrderly);
    expect(await db().execute(running)).toHaveLength(crashes);
  });
});

describe("the edition", () => {
  it("is reported if it could not be imported for a day, and resolved once it can", async () => {
    setEditionState("not-taken");
    for (const hours of [0, 23]) await look(later(hours * HOUR));
    expect(told()).toEqual([]);
    for (const hours of [25, 26]) await look(later(hours * HOUR));
    expect(told()).toEqual(["The edition can't be used"]);
    setEditionState("taken");
    await look(later(27 * HOUR));
    expect(told().slice(1)).toEqual(["The edition is in use again"]);
  });
});

describe("the database", () => {
  it("that was down for minutes is reported once it is back", async () => {
    const check = new SiteCheck(randomUUID());
    const outage = vi.spyOn(getDatabase(), "db", "get").mockImplementation(() => {
      throw new Error("the database is away");
    });
    for (const minute of [0, 2, 4]) {
      await expect(check.run(later(minute * MINUTE))).rejects.toThrow("away");
    }
    outage.mockRestore();
    await look(later(6 * MINUTE), check);
    await look(later(7 * MINUTE), check);
    await look(later(8 * MINUTE), check);
    expect(told()).toEqual(["The database couldn't be reached for a while"]);
    expect(mailsToOperator()[0]?.text).toContain("for 6 minutes");
  });
});

describe("reporting an alert", () => {
  const alert = () => ({
    kind: "crash-loop",
    key: `crash-loop:${randomUUID()}`,
    facts: { crashes: 3 },
    openedAt: new Date(),
    reportAfterMs: 0,
  });

  it("happens once among several instances", async () => {
    await insertAlert(alert());
    const now = new Date();
    const checks = Array.from({ length: 8 }, () => new SiteCheck(randomUUID(), now));
    await Promise.all(checks.map((check) => check.run(now)));
    await settle();
    expect(told()).toEqual(["The site keeps crashing"]);
  });

  it("is rolled back if it fails, and repeated", async () => {
    await insertAlert(alert());
    await db().execute(
      sql`alter table operator_matters add constraint killed check (reported_at is null)`,
    );
    await expect(new SiteCheck(randomUUID()).run()).rejects.toThrow();
    await settle();
    expect(told()).toEqual([]);
    await db().execute(sql`alter table operator_matters drop constraint killed`);
    await look();
    expect(told()).toHaveLength(1);
  });

  it("uses only the log and the list if there is no address", async () => {
    setEnvironment({ ...environment(), OPERATOR_EMAIL: "" });
    await insertAlert(alert());
    await look();
    expect(smtp.delivered).toEqual([]);
    expect(await findOpenAlerts()).toMatchObject([
      { isMailed: false, reportedAt: expect.any(Date) },
    ]);
  });
});

/** Returns the settings of this file's site, for tests to change. */
function environment(): Record<string, string> {
  return {
    SMTP_URL: smtp.url,
    PUBLIC_URL: "https://book.test",
    OPERATOR_EMAIL: OPERATOR,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    SESSION_SECRET,
    LOG_LEVEL: "silent",
  };
}
