import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { runCommand } from "../../support/command";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { send as request } from "../../support/http-client";
import { addWalkers, issueFile, PNG_PIXEL } from "../../support/newsletter";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";
import { countRows } from "../../support/tables";
import { hasTerminal, runInTerminal } from "../../support/terminal";

const TEXT = `---
subject: "The first mile: Grüße"
slug: the-first-mile
preview: A practice for the start of anything.
---

Dear walker,

![A lake at dawn](lake.png)

go on, as [members](/premium) do.
`;

const SENDER = {
  MAIL_FROM: "Maren <maren@book.test>",
  MAIL_POSTAL_ADDRESS: "14 Lantern Lane, Burlington",
};

let smtp: TestSmtpServer;
let site: ProgramSite;
const issue = issueFile(TEXT, { "lake.png": PNG_PIXEL });

beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await startProgramSite({ SMTP_URL: smtp.url, ...SENDER });
});
afterAll(async () => {
  await site?.close();
  await smtp?.close();
  issue.remove();
});
beforeEach(async () => {
  smtp.delivered.length = 0;
  await site.database.db.execute(
    sql`truncate mails, campaigns, subscribers, suppressed_addresses, rate_limits cascade`,
  );
});

const variables = () => ({
  ...SENDER,
  DATABASE_URL: site.databaseUrl,
  DATA_DIR: site.dataDir,
  PUBLIC_URL: site.origin,
});

/** Runs in this process, since the built program takes longer to start than most commands take. */
const newsletter = (...command: string[]) => {
  setEnvironment({ ...variables(), LOG_LEVEL: "warn" });
  return runCommand("newsletter", ...command);
};

const subscribe = (count: number) => addWalkers(count, site.database);

const recipients = () =>
  smtp.delivered
    .filter(({ headers }) => headers.subject === "The first mile: Grüße")
    .flatMap(({ recipients }) => recipients)
    .sort();

it("newsletter test sends the issue only to the given addresses", async () => {
  await subscribe(2);
  const { code, stdout } = await newsletter("test", issue.file, "--to", "maren@example.test");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Sent.\n" });
  const mails = smtp.delivered.filter(({ headers }) => headers.subject?.startsWith("Test: "));
  expect(mails.map(({ recipients }) => recipients)).toEqual([["maren@example.test"]]);
  expect(mails[0]?.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
  const image = /<img[^>]* src="([^"]+)"/.exec(mails[0]?.html ?? "")?.[1] ?? "";
  const served = await request(image);
  expect(served.body).toEqual(PNG_PIXEL);
  expect(served.headers["cross-origin-resource-policy"]).toBe("cross-origin");
});

describe("newsletter send", () => {
  it("needs --yes without a terminal, and first says what it would do", async () => {
    await subscribe(2);
    const { code, stdout, stderr } = await newsletter("send", issue.file);
    expect(code).toBe(1);
    expect(stderr).toBe("Nothing was done: without a terminal, add --yes to send it.\n");
    expect(stdout).toContain("To       2 subscribers\n");
    expect(stdout).toContain(`Page     ${site.origin}/newsletter/the-first-mile\n`);
    const dryRun = await newsletter("send", issue.file, "--dry-run", "--rate", "0.5");
    expect(dryRun.code).toBe(0);
    expect(dryRun.stdout).toContain("Rate     at most 0.5 a second: it takes 4 s or longer");
    expect(dryRun.stdout).toMatch(/This was a dry run: nothing was written or sent\.\n$/);
    expect((await newsletter("status")).stdout).toBe("No issue has been sent yet.\n");
  });

  it("queues mail that the site sends: each subscriber gets it once, can read it online, and can leave with one click", async () => {
    await subscribe(2);
    const { code, stdout } = await newsletter("send", issue.file, "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n2 mails are queued\.\n$/);
    await vi.waitUntil(() => recipients().length === 2, EFFECT_TIMEOUT);
    const mail = smtp.delivered.find(({ recipients }) => recipients[0] === "walker2@example.test");
    expect(mail?.headers.from).toBe(SENDER.MAIL_FROM);
    expect(mail?.text).toContain("Dear walker");
    expect(mail?.text).toContain(SENDER.MAIL_POSTAL_ADDRESS);
    const page = await request(`${site.origin}/newsletter/the-first-mile`);
    expect(page.text).toContain("Dear walker");

    const again = await newsletter("send", issue.file, "--yes");
    expect(again.stdout).toMatch(
      /This issue was sent on .* 0 mails are queued to those who have not had it/,
    );
    // a mail program's request (RFC 8058): no cookies, no Origin
    const url = String(mail?.headers["list-unsubscribe"]).replace(/^<|>$/g, "");
    expect(mail?.html).toContain(`href="${url}"`);
    const form = { "List-Unsubscribe": "One-Click" };
    expect((await request(url, { form })).status).toBe(200);
    const next = issueFile(TEXT.replace("the-first-mile", "the-second-mile"), {
      "lake.png": PNG_PIXEL,
    });
    const { stdout: sent } = await newsletter("send", next.file, "--yes");
    next.remove();
    expect(sent).toMatch(/\n1 mails? (?:is|are) queued\.\n$/);
    await vi.waitUntil(() => recipients().length === 3, EFFECT_TIMEOUT);
    expect(recipients()).toEqual([
      "walker1@example.test",
      "walker1@example.test",
      "walker2@example.test",
    ]);
  });

  it("never sends a members' issue to others", async () => {
    const premium = issueFile(TEXT.replace("slug:", "premium: true\nslug:"), {
      "lake.png": PNG_PIXEL,
    });
    const { code, stderr } = await newsletter("send", premium.file, "--to", "subscribers", "--yes");
    premium.remove();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^--to subscribers: the file says 'premium: true'/);
  });
});

describe.skipIf(!hasTerminal)("newsletter send in a terminal", () => {
  const sendAndType = (typed: { after: string; text: string }[], ...options: string[]) =>
    runInTerminal({
      command: ["newsletter", "send", issue.file, ...options],
      variables: variables(),
      typed,
    });
  const QUESTION = "Type 'the-first-mile' to send it:";

  it("sends once the slug is typed, and shows the progress to the end", async () => {
    await subscribe(10);
    const { code, screen } = await sendAndType(
      [{ after: QUESTION, text: "the-first-mile\n" }],
      "--rate",
      "5",
    );
    expect(code).toBe(0);
    expect(screen).toContain("10 mails are queued.");
    expect(screen).toMatch(/ \d+ % · \d+ of 10 · \d+ a second, \d+ s left · sending/);
    expect(screen).toContain(" 100 % · 10 of 10 · ");
    expect(screen).toMatch(/the-first-mile: finished\s+subject {3}The first mile/);
    expect(recipients()).toHaveLength(10);
  });

  it("does nothing if Ctrl-C is pressed", async () => {
    await subscribe(2);
    const { code, screen } = await sendAndType([{ after: QUESTION, text: "\u0003" }]);
    expect(code).toBe(1);
    expect(screen).toMatch(/Nothing was done\.\s*$/);
    expect(await countRows(site.database, "campaigns")).toBe(0);
  });

  it("continues without the terminal after Ctrl-C", async () => {
    await subscribe(60);
    const { code, screen } = await sendAndType(
      [{ after: " of 60 · ", text: "\u0003" }],
      "--yes",
      "--rate",
      "1",
    );
    expect(code).toBe(0);
    expect(screen).toMatch(
      /The site keeps sending\. 'newsletter status the-first-mile' shows how far it is\.\s*$/,
    );
    expect(recipients().length).toBeLessThan(60);
    await site.database.db.execute(sql`update campaigns set rate = 1000`);
    await vi.waitUntil(() => recipients().length === 60, EFFECT_TIMEOUT);
  });
});

describe("an issue that is being sent", () => {
  it("can be scheduled, and canceled before it is sent", async () => {
    await subscribe(1);
    // the other issue's page is cached for a minute
    const later = issueFile(TEXT.replace("the-first-mile", "later"), { "lake.png": PNG_PIXEL });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { stdout } = await newsletter("send", later.file, "--yes", "--at", `${at.slice(0, 16)}Z`);
    expect(stdout).toMatch(/Sending starts on .*\.\n'newsletter cancel later' calls it off\.\n$/);
    expect((await request(`${site.origin}/newsletter/later`)).status).toBe(404);
    later.remove();
    const refused = await newsletter("cancel", "later");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("add --yes to cancel it for good");
    const { code, stdout: canceled } = await newsletter("cancel", "later", "--yes");
    expect(code).toBe(0);
    expect(canceled).toContain("later: canceled\n");
    expect(canceled).toContain("            1 canceled\n");
  });

  it("can be paused and resumed", async () => {
    await subscribe(2);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await newsletter("send", issue.file, "--yes", "--at", at.slice(0, 16).concat("Z"));
    expect((await newsletter("pause", "the-first-mile")).stdout).toContain(
      "the-first-mile: paused\n",
    );
    await site.database.db.execute(sql`update campaigns set start_at = now()`);
    await site.database.db.execute(sql`update mails set due_at = now()`);
    expect((await newsletter("status")).stdout).toMatch(
      /^ISSUE +START +SENT +FAILED\nthe-first-mile {2}\d{4}-\d\d-\d\d {2}0 of 2 {2}0 +paused\n$/,
    );
    expect(recipients()).toEqual([]);
    await newsletter("resume", "the-first-mile");
    await vi.waitUntil(() => recipients().length === 2, EFFECT_TIMEOUT);
  });
});
