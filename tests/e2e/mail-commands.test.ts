import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { runProgram } from "../support/program";
import { type ProgramSite, startProgramSite } from "../support/program-site";
import { type SmtpSink, startSmtpSink } from "../support/smtp-sink";

const MAIL_FROM = "The Golden Path <letters@book.test>";

let sink: SmtpSink;
let site: ProgramSite;

beforeAll(async () => {
  sink = await startSmtpSink();
  site = await startProgramSite({ SMTP_URL: sink.url, MAIL_FROM });
});
afterAll(async () => {
  await site?.close();
  await sink?.stop();
});
beforeEach(() =>
  site.database.db.execute(sql`truncate mails, suppressed_addresses, users cascade`),
);

const mail = (...command: string[]) =>
  runProgram({
    command: ["mail", ...command],
    variables: { DATABASE_URL: site.databaseUrl, DATA_DIR: site.dataDir, MAIL_FROM },
  });

/** Has a reader's password link refused with this code, and waits until it is given up. */
async function refusePasswordLink(email: string, refuse: number, at: "recipient" | "message") {
  const visitor = site.visitor();
  await visitor.signUp(email);
  await vi.waitUntil(
    async () =>
      (await site.database.db.execute(sql`select from mails where finished_at is null`)).length ===
      0,
    { timeout: 20_000 },
  );
  await sink.script({ [email]: [{ refuse, at }] });
  await site.visitor().post("/auth/forgot-password", { form: { email } });
  await vi.waitUntil(
    async () =>
      (
        await site.database.db.execute(
          sql`select from mails where kind = 'password-reset' and state = 'failed'`,
        )
      ).length === 1,
    { timeout: 20_000 },
  );
}

const linksTo = async (email: string) =>
  (await sink.deliveries()).filter(({ address }) => address === email);

it("list what was refused, without addresses, and send it again", async () => {
  const email = "blocked@example.test";
  await refusePasswordLink(email, 554, "message");
  const before = (await linksTo(email)).length;
  const status = await mail("status");
  expect(status.code).toBe(0);
  expect(status.stdout).toContain("1 password-reset with 554 DATA: can be sent again\n");
  expect(status.stdout + status.stderr).not.toContain("example.test");

  expect(await mail("retry", "--kind", "membership-begun")).toMatchObject({ code: 0, stdout: "" });
  expect((await mail("retry")).stdout).toBe("1 password-reset queued again\n");
  await vi.waitUntil(async () => (await linksTo(email)).length === before + 1, { timeout: 20_000 });
  expect((await mail("status")).stdout).toMatch(/^To be sent {2}0\nNewsletter {2}0\nFailed {6}0 /);
});

it("send nothing again to a mailbox that does not exist, or that has expired", async () => {
  await refusePasswordLink("nobody@example.test", 550, "recipient");
  expect((await mail("status")).stdout).toContain("1 password-reset with 550 RCPT TO: over\n");
  expect((await mail("retry")).stdout).toBe("");
  await site.database.db.execute(sql`truncate mails`);

  await refusePasswordLink("late@example.test", 554, "message");
  await site.database.db.execute(sql`update mails set expires_at = now()`);
  const { code, stdout, stderr } = await mail("retry");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("There is nothing to send again");
});

it("refuse a kind that does not exist", async () => {
  const { code, stderr } = await mail("retry", "--kind", "constructor");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^--kind: found 'constructor', wanted one of password-reset, /);
});
