import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { insertUser } from "~db/queries/users";
import { runCommand } from "../../support/command";
import { readMail } from "../../support/mail";
import { freePorts } from "../../support/ports.mjs";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { startSmtpServer } from "../../support/smtp";
import { type SmtpSink, startSmtpSink } from "../../support/smtp-sink";

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

/** Runs in this process, since the built program takes longer to start than a command takes. */
const mail = (...command: string[]) => {
  const { databaseUrl, dataDir } = site;
  setEnvironment({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, MAIL_FROM, LOG_LEVEL: "warn" });
  return runCommand("mail", ...command);
};

/** Has the server refuse a reader's password link with this code, and waits until the mail has failed. */
async function refusePasswordLink(email: string, refuse: number, at: "recipient" | "message") {
  await insertUser({ email, passwordHash: "not a hash" }, site.database.db);
  await sink.script({ [email]: [{ refuse, at }] });
  await site.visitor().post("/auth/forgot-password", { form: { email } });
  await vi.waitUntil(
    async () =>
      (
        await site.database.db.execute(
          sql`select from mails where kind = 'password-reset' and state = 'failed'`,
        )
      ).length === 1,
    { timeout: 60_000 },
  );
}

const linksTo = async (email: string) =>
  (await sink.deliveries()).filter(({ address }) => address === email);

it("list refused mail without addresses, and send it again", async () => {
  const email = "blocked@example.test";
  await refusePasswordLink(email, 554, "message");
  const before = (await linksTo(email)).length;
  const status = await mail("status");
  expect(status.code).toBe(0);
  expect(status.stdout).toContain("1 password-reset with 554 DATA: can be sent again\n");
  expect(status.stdout + status.stderr).not.toContain("example.test");

  expect(await mail("retry", "--kind", "membership-begun")).toMatchObject({ code: 0, stdout: "" });
  expect((await mail("retry")).stdout).toBe("1 password-reset queued again\n");
  await vi.waitUntil(async () => (await linksTo(email)).length === before + 1, { timeout: 60_000 });
  expect((await mail("status")).stdout).toMatch(/^To be sent {2}0\nNewsletter {2}0\nFailed {6}0 /);
});

it("do not resend to a mailbox that does not exist, nor expired mail", async () => {
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

it("send a test mail at once, past the queue, and print the mail server's answer", async () => {
  const server = await startSmtpServer({
    refuse: (address) =>
      address.startsWith("nobody") ? { code: 550, text: `5.1.1 <${address}> is unknown` } : null,
  });
  const test = (address: string, SMTP_URL = server.url) => {
    // without a database, which the command must not need
    setEnvironment({ DATA_DIR: site.dataDir, SMTP_URL, MAIL_FROM, LOG_LEVEL: "warn" });
    return runCommand("mail", "test", address);
  };
  try {
    const host = new URL(server.url).host;
    const sent = await test("Author@Book.test");
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    expect(sent.stdout).toMatch(new RegExp(`^${host} accepted the mail: 250 \\S`));
    expect(server.delivered).toHaveLength(1);
    expect(server.delivered[0]).toMatchObject({
      sender: "letters@book.test",
      recipients: ["author@book.test"],
      headers: { from: MAIL_FROM, subject: "A test of your site's mail" },
    });

    const refused = await test("nobody@book.test");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(
      `${host} did not accept the mail: 550 5.1.1 <nobody@book.test>`,
    );
    expect(await test("nobody")).toMatchObject({
      code: 1,
      stderr: "'nobody' is not an email address.\n",
    });
    const nowhere = `smtp://127.0.0.1:${await freePorts(1)}`;
    const unreachable = await test("author@book.test", nowhere);
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toMatch(/ECONNREFUSED.*check that it runs and that SMTP_URL/);
    const written = await test("author@book.test", "");
    expect(written.code).toBe(0);
    const file = /SMTP_URL isn't set, so nothing was sent\. The mail is in (.*\.eml)\n/.exec(
      written.stdout,
    )?.[1];
    expect(readMail(readFileSync(file ?? "")).headers.to).toBe("author@book.test");
  } finally {
    await server.close();
  }
});
