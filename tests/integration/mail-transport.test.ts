import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import {
  backgroundMailIdle,
  closeMail,
  sendMailInBackground,
} from "~/features/mail/background-mail.server";
import { MailFailure } from "~/features/mail/mail-failure.server";
import type { MailMessage } from "~/features/mail/mail-message";
import { MailQueue } from "~/features/mail/mail-queue.server";
import { sendMail } from "~/features/mail/send-mail.server";
import { everythingIn, watchLog } from "../support/log";
import { readMail } from "../support/mail";
import { freePorts } from "../support/ports.mjs";
import { temporaryDirectory } from "../support/program";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp";

const MESSAGE: MailMessage = {
  to: "reader@example.test",
  subject: "A letter – with a dash, and ‘quotes’",
  text: `Plain words, and a long address:\nhttps://example.test/?a=1&b=${"x".repeat(120)}\n`,
  html: '<p style="color:#211d18">Words with a “style”.</p>',
};

const directory = temporaryDirectory();
const outbox = join(directory.path, "outbox");
const servers: TestSmtpServer[] = [];

async function withServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  servers.push(server);
  sendThrough(server.url);
  return server;
}

function sendThrough(SMTP_URL?: string) {
  setEnvironment({
    SMTP_URL,
    DATA_DIR: directory.path,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    LOG_LEVEL: "silent",
  });
}

/** The error with which sending fails; throws if it does not fail. */
async function failureOf(sending: Promise<unknown>): Promise<MailFailure> {
  const outcome = await sending.then(
    () => "the mail was sent",
    (error: unknown) => error,
  );
  if (outcome instanceof MailFailure) return outcome;
  throw new Error(`Expected a MailFailure, but: ${outcome}`);
}

beforeEach(() => sendThrough());
afterEach(async () => {
  vi.restoreAllMocks();
  await closeMail(1);
  for (const server of servers.splice(0)) await server.close();
  directory.remove();
});

describe("with SMTP_URL, a mail", () => {
  it("reaches the server complete: sender, recipient, subject, text and HTML", async () => {
    const server = await withServer();
    await sendMail({
      ...MESSAGE,
      headers: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
    });
    const [mail] = server.delivered;
    expect(mail?.recipients).toEqual([MESSAGE.to]);
    expect(mail?.headers).toMatchObject({
      from: "The Golden Path <letters@book.test>",
      to: MESSAGE.to,
      subject: MESSAGE.subject,
      "auto-submitted": "auto-generated",
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    });
    expect(mail?.headers["message-id"]).toMatch(/^<.+@book\.test>$/);
    expect(mail?.text.replaceAll("\r\n", "\n").trim()).toBe(MESSAGE.text.trim());
    expect(mail?.html.trim()).toBe(MESSAGE.html);
  });

  it("arrives unchanged, including non-ASCII characters and very long lines", async () => {
    const server = await withServer();
    const texts = [
      "Grüße – 😀 naïve\n",
      `${"a line without end ".repeat(100)}\n`,
      "no end of line",
    ];
    for (const text of texts) await sendMail({ ...MESSAGE, text });
    expect(server.delivered.map(({ text }) => text.trim())).toEqual(
      texts.map((text) => text.trim()),
    );
  });

  it("is sent with the credentials in the URL", async () => {
    const server = await withServer({ login: { user: "book", password: "s3cret/&" } });
    await sendMail(MESSAGE);
    expect(server.delivered).toHaveLength(1);
  });

  it("fails with an error about the login that omits the password, when that is wrong", async () => {
    const server = await withServer({ login: { user: "book", password: "right" } });
    sendThrough(server.url.replace("right", "wr0ng"));
    const failure = await failureOf(sendMail(MESSAGE));
    expect(failure.facts).toMatchObject({ code: "EAUTH", temporary: false });
    expect(failure.message).toContain("check user and password in SMTP_URL");
    expect(everythingIn([{ level: "", message: "", facts: { failure } }])).not.toContain("wr0ng");
    expect(server.delivered).toEqual([]);
  });

  it("goes to one address only, whatever is written in it", async () => {
    const server = await withServer();
    await sendMail({ ...MESSAGE, to: "a@example.test, b@example.test" }).catch(() => {});
    expect(server.delivered.flatMap(({ recipients }) => recipients)).not.toContain(
      "b@example.test",
    );
  });

  it("gets no extra header from a line break in its subject", async () => {
    const server = await withServer();
    await sendMail({ ...MESSAGE, subject: "Hello\r\nBcc: b@example.test" });
    expect(server.delivered[0]?.headers).not.toHaveProperty("bcc");
    expect(server.delivered[0]?.recipients).toEqual([MESSAGE.to]);
  });

  it.each([
    ["for good", 550, false],
    ["for now", 451, true],
  ])(
    "that is rejected %s says whether to retry, and omits the recipient",
    async (_how, code, temporary) => {
      await withServer({ refuse: (address) => ({ code, text: `<${address}>: not here` }) });
      const failure = await failureOf(sendMail(MESSAGE));
      expect(failure.facts).toMatchObject({ responseCode: code, temporary });
      expect(everythingIn([{ level: "", message: "", facts: { failure } }])).not.toContain(
        "reader@",
      );
    },
  );

  it("fails at once, with advice, when nothing listens there", async () => {
    sendThrough(`smtp://127.0.0.1:${await freePorts(1)}`);
    const failure = await failureOf(sendMail(MESSAGE));
    expect(failure.facts.temporary).toBe(true);
    expect(failure.message).toContain("check that it runs and that SMTP_URL names it");
  });

  it("fails after the timeout in SMTP_URL when the server does not answer", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    sendThrough(`smtp://127.0.0.1:${port}?greetingTimeout=100`);
    const failure = await failureOf(sendMail(MESSAGE));
    expect(failure.facts).toMatchObject({ code: "ETIMEDOUT", temporary: true });
    await closeMail(1);
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe("without SMTP_URL, a mail", () => {
  it("is a message file in the outbox that only the program's user can read", async () => {
    await sendMail(MESSAGE);
    const [name = "", ...others] = readdirSync(outbox);
    expect(others).toEqual([]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-.+\.eml$/);
    expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600);
    expect(statSync(outbox).mode & 0o777).toBe(0o700);
    const bytes = readFileSync(join(outbox, name));
    expect(bytes.toString("latin1")).not.toMatch(/[^\r]\n/);
    // a link can be copied from the file as it is
    expect(bytes.toString("latin1")).toContain(`?a=1&b=${"x".repeat(120)}\r\n`);
    const mail = readMail(bytes);
    expect(mail.headers).toMatchObject({ to: MESSAGE.to, subject: MESSAGE.subject });
    expect(mail.text.replaceAll("\r\n", "\n").trim()).toBe(MESSAGE.text.trim());
  });

  it("has a name that sorts after earlier mails", async () => {
    for (let count = 0; count < 30; count++) await sendMail({ ...MESSAGE, subject: String(count) });
    const subjects = readdirSync(outbox)
      .sort()
      .map((name) => readMail(readFileSync(join(outbox, name))).headers.subject);
    expect(subjects).toEqual(Array.from({ length: 30 }, (_, count) => String(count)));
  });

  it("is complete when many are written concurrently", async () => {
    await Promise.all(Array.from({ length: 50 }, () => sendMail(MESSAGE)));
    const names = readdirSync(outbox);
    expect(names).toHaveLength(50);
    for (const name of names) {
      expect(readMail(readFileSync(join(outbox, name))).html.trim()).toBe(MESSAGE.html);
    }
  });

  it("fails with an error about the folder when that cannot be written, and leaves nothing behind", async () => {
    mkdirSync(directory.path, { recursive: true });
    writeFileSync(outbox, "a file where the folder should be");
    const failure = await failureOf(sendMail(MESSAGE));
    expect(failure.message).toContain("Make DATA_DIR/outbox writable");
    expect(readdirSync(directory.path)).toEqual(["outbox"]);
  });
});

describe("mail in the background", () => {
  it("does not make its caller wait for a server that hangs", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await withServer({ beforeAccepting: () => held });
    expect(sendMailInBackground("test", async () => MESSAGE)).toBe(true);
    expect(server.delivered).toEqual([]);
    release();
    await backgroundMailIdle();
    expect(server.delivered).toHaveLength(1);
  });

  it("sends no more than three mails at a time", async () => {
    const server = await withServer();
    for (let count = 0; count < 40; count++) sendMailInBackground("test", async () => MESSAGE);
    await backgroundMailIdle();
    expect(server.delivered).toHaveLength(40);
    expect(server.mostAtOnce()).toBeLessThanOrEqual(3);
  });

  it("arrives although the server asked to retry later", async () => {
    let refusals = 2;
    const server = await withServer({
      refuse: () => (refusals-- > 0 ? { code: 421, text: "busy" } : null),
    });
    const lines = watchLog();
    const queue = new MailQueue({
      send: sendMail,
      concurrency: 1,
      capacity: 10,
      retryDelays: [1, 1, 1],
    });
    queue.add({ purpose: "test", compose: async () => MESSAGE });
    await queue.idle();
    expect(server.delivered).toHaveLength(1);
    expect(lines.map(({ level }) => level)).toEqual(["warn", "warn", "info"]);
  });

  it("leaves one line in the log when it is dropped, with advice and without the recipient", async () => {
    await withServer({ refuse: (address) => ({ code: 550, text: `<${address}>: not here` }) });
    const lines = watchLog();
    sendMailInBackground("password reset", async () => MESSAGE);
    await backgroundMailIdle();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "error",
      facts: { purpose: "password reset", responseCode: 550, attempts: 1 },
    });
    expect(lines[0]?.message).toContain("check MAIL_FROM");
    expect(everythingIn(lines)).not.toMatch(/reader@|example\.test|Plain words/);
  });

  it("is logged as sent only when it was sent", async () => {
    const lines = watchLog();
    sendMailInBackground("password reset", async () => MESSAGE);
    await backgroundMailIdle();
    await withServer();
    sendMailInBackground("password reset", async () => MESSAGE);
    await backgroundMailIdle();
    expect(lines.map(({ message }) => message)).toEqual([
      "mail written to the outbox",
      "mail sent",
    ]);
  });

  it("is finished before the program ends, and sending can resume", async () => {
    const server = await withServer();
    sendMailInBackground("test", async () => MESSAGE);
    await closeMail(10_000);
    expect(server.delivered).toHaveLength(1);
    sendMailInBackground("test", async () => MESSAGE);
    await backgroundMailIdle();
    expect(server.delivered).toHaveLength(2);
  });

  it("does not delay the end of the program when the server hangs", async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await withServer({
      beforeAccepting: () => {
        arrived();
        return new Promise(() => {});
      },
    });
    const lines = watchLog();
    sendMailInBackground("test", async () => MESSAGE);
    await arrival;
    await closeMail(1);
    expect(server.delivered).toEqual([]);
    expect(lines[0]).toMatchObject({ level: "error", facts: { lost: 1 } });
  });
});
