import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import type { MailTransport, TransportedMail } from "~/features/mail/mail-transport";
import { openOutboxTransport } from "~/features/mail/outbox-transport.server";
import { openSmtpTransport } from "~/features/mail/smtp-transport.server";
import type { RenderedMail } from "~db/schema";
import { readMail } from "../../support/mail";
import { freePorts } from "../../support/ports.mjs";
import { temporaryDirectory } from "../../support/program";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

const CONTENT: RenderedMail = {
  subject: "A letter – with a dash, and ‘quotes’",
  text: `Plain words, and a long address:\nhttps://example.test/?a=1&b=${"x".repeat(120)}\n`,
  html: '<p style="color:#211d18">Words with a “style”.</p>',
};

const MAIL: TransportedMail = {
  messageId: "<1@book.test>",
  to: "reader@example.test",
  date: new Date("2026-05-01T12:00:00Z"),
  content: CONTENT,
  abandonAfterMs: 5_000,
};

const directory = temporaryDirectory();
const outbox = join(directory.path, "outbox");
const servers: TestSmtpServer[] = [];
const transports: MailTransport[] = [];

function set(variables: Record<string, string> = {}) {
  setEnvironment({
    DATA_DIR: directory.path,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    LOG_LEVEL: "silent",
    ...variables,
  });
}

function open(url: string, timeouts?: { connectMs: number; answerMs: number }): MailTransport {
  const transport = openSmtpTransport(url, timeouts);
  transports.push(transport);
  return transport;
}

async function serverAndTransport(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  servers.push(server);
  return { server, transport: open(server.url) };
}

const withContent = (content: Partial<RenderedMail>): TransportedMail => ({
  ...MAIL,
  content: { ...CONTENT, ...content },
});

beforeEach(() => {
  mkdirSync(directory.path, { recursive: true });
  set();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const transport of transports.splice(0)) transport.close();
  for (const server of servers.splice(0)) await server.close();
  directory.remove();
});

describe("with SMTP_URL, a mail", () => {
  it("reaches the server complete: sender, recipient, subject, text and HTML, with a separate address for bounces", async () => {
    set({ MAIL_BOUNCE_ADDRESS: "bounces@book.test", MAIL_REPLY_TO: "Ann Author <ann@book.test>" });
    const { server, transport } = await serverAndTransport();
    const headers = { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    expect(await transport.deliver(withContent({ headers }))).toEqual({ kind: "accepted" });
    const [mail] = server.delivered;
    expect(mail).toMatchObject({ sender: "bounces@book.test", recipients: [MAIL.to] });
    expect(mail?.headers).toMatchObject({
      from: "The Golden Path <letters@book.test>",
      "reply-to": "Ann Author <ann@book.test>",
      to: MAIL.to,
      subject: CONTENT.subject,
      date: "Fri, 01 May 2026 12:00:00 +0000",
      "message-id": "<1@book.test>",
      "auto-submitted": "auto-generated",
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    });
    expect(mail?.text.replaceAll("\r\n", "\n").trim()).toBe(CONTENT.text.trim());
    expect(mail?.html.trim()).toBe(CONTENT.html);
  });

  it("leaves and reaches an address with accents, if the server takes such", async () => {
    set({ MAIL_FROM: "Jörg <jörg@münchen.example>" });
    const { server, transport } = await serverAndTransport();
    const to = "zoë@xn--mnchen-3ya.example";
    expect(await transport.deliver({ ...MAIL, to })).toEqual({ kind: "accepted" });
    expect(server.delivered).toMatchObject([
      { sender: "jörg@münchen.example", recipients: ["zoë@münchen.example"] },
    ]);
    expect(String(server.raw[0])).toMatch(/^From: .* <jörg@münchen.example>\r$/m);
  });

  it("has a DKIM signature, which includes the headers for unsubscribing and complaints", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const keyFile = join(directory.path, "dkim.pem");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    set({ DKIM_SELECTOR: "mail", DKIM_KEY_FILE: keyFile });
    const { server, transport } = await serverAndTransport();
    const headers = {
      "List-Unsubscribe": "<https://book.test/newsletter/unsubscribe?token=1>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "Feedback-ID": "the-first-mile:newsletter:booktest",
    };
    await transport.deliver(withContent({ headers }));
    const signature = server.delivered[0]?.headers["dkim-signature"]?.replace(/\s/g, "") ?? "";
    const tags = Object.fromEntries(signature.split(";").map((tag) => tag.split("=", 2)));
    expect(tags).toMatchObject({ d: "book.test", s: "mail", a: "rsa-sha256" });
    expect(tags.h.toLowerCase().split(":")).toEqual(
      expect.arrayContaining([
        "list-unsubscribe",
        "list-unsubscribe-post",
        "feedback-id",
        "from",
        "message-id",
      ]),
    );
  });

  it("is sent only with the right credentials in the URL, and the advice omits the password", async () => {
    const login = { user: "book", password: "right/&" };
    const { server, transport } = await serverAndTransport({ login });
    expect(await transport.deliver(MAIL)).toEqual({ kind: "accepted" });
    const delivery = await open(server.url.replace("right", "wr0ng")).deliver(MAIL);
    expect(delivery).toMatchObject({ kind: "not-sent", phase: "connecting", code: "535 EAUTH" });
    expect(delivery).toHaveProperty(
      "advice",
      "The mail server rejected the login: check user and password in SMTP_URL.",
    );
    expect(server.delivered).toHaveLength(1);
  });

  it("gets no extra header from a line break in its subject", async () => {
    const { server, transport } = await serverAndTransport();
    await transport.deliver(withContent({ subject: "Hello\r\nBcc: b@example.test" }));
    expect(server.delivered[0]?.headers).not.toHaveProperty("bcc");
    expect(server.delivered[0]?.recipients).toEqual([MAIL.to]);
  });

  it.each([
    [{ code: 550, text: "5.1.1 <reader@example.test>: no such user" }, "5.1.1"],
    [{ code: 451, text: "<reader@example.test>: later" }, null],
  ])(
    "that is rejected with %o reports the codes, and omits the recipient",
    async (reply, enhanced) => {
      const { transport } = await serverAndTransport({ refuse: () => reply });
      const delivery = await transport.deliver(MAIL);
      expect(delivery).toEqual({ kind: "refused", stage: "RCPT TO", code: reply.code, enhanced });
    },
  );

  it("is not sent, with advice, when nothing listens there", async () => {
    const delivery = await open(`smtp://127.0.0.1:${await freePorts(1)}`).deliver(MAIL);
    const failure = { kind: "not-sent", phase: "connecting", code: "ECONNREFUSED" };
    expect(delivery).toEqual({ ...failure, advice: expect.stringContaining("check that it runs") });
  });
});

/** How far a conversation gets before the server hangs up or stays silent. */
type Breakdown = "greeting" | "data" | "middle" | "end" | "silence";

/** A mail server that breaks down; smtp-server always answers properly. */
async function failingServer(breakdown: Breakdown): Promise<{ url: string; messages: number[] }> {
  const messages: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (breakdown === "greeting") return;
    let received = "";
    let isData = false;
    socket.write("220 here\r\n");
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (isData) {
        if (breakdown === "middle" && received.length > 100) return socket.destroy();
        if (!received.includes("\r\n.\r\n")) return;
        messages.push(received.length);
        if (breakdown === "end") socket.destroy();
        return;
      }
      for (let end = received.indexOf("\r\n"); end >= 0; end = received.indexOf("\r\n")) {
        const command = received.slice(0, end);
        received = received.slice(end + 2);
        if (!command.startsWith("DATA")) socket.write("250 fine\r\n");
        else if (breakdown === "data") socket.destroy();
        else {
          isData = true;
          socket.write("354 go on\r\n");
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  transports.push({
    deliver: () => Promise.reject(),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { url: `smtp://127.0.0.1:${port}`, messages };
}

describe("when the server breaks down, a mail", () => {
  // more than the sockets of both sides hold
  const LARGE = `${"long words ".repeat(80)}\n`.repeat(10_000);

  it.each<[string, Breakdown, string, object]>([
    ["greets nobody", "greeting", "x\n", { kind: "not-sent", phase: "connecting" }],
    ["hangs up at DATA", "data", "x\n", { kind: "not-sent", phase: "sending" }],
    ["hangs up within a large message", "middle", LARGE, { kind: "not-sent", phase: "sending" }],
    ["hangs up after the end", "end", "x\n", { kind: "unanswered" }],
    ["does not answer the end", "silence", "x\n", { kind: "unanswered", code: "ETIMEDOUT" }],
  ])(
    "is in doubt only if it was sent completely: the server %s",
    async (_name, breakdown, text, wanted) => {
      const { url } = await failingServer(breakdown);
      // short timeouts only where the test waits for one
      const transport = open(url, {
        connectMs: breakdown === "greeting" ? 300 : 60_000,
        answerMs: breakdown === "silence" ? 1_000 : 60_000,
      });
      expect(await transport.deliver(withContent({ text }))).toMatchObject(wanted);
    },
  );

  it("is in doubt if it was sent before the transport was closed", async () => {
    const { url, messages } = await failingServer("silence");
    const transport = open(url);
    const delivery = transport.deliver(MAIL);
    await expect.poll(() => messages.length).toBe(1);
    transport.close();
    expect(await delivery).toMatchObject({ kind: "unanswered" });
  });
});

describe("without SMTP_URL, a mail", () => {
  it("is a file in the outbox that only the program's user can read", async () => {
    expect(await openOutboxTransport().deliver(MAIL)).toEqual({ kind: "accepted" });
    const [name = "", ...others] = readdirSync(outbox);
    expect(others).toEqual([]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-.+\.eml$/);
    expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600);
    expect(statSync(outbox).mode & 0o777).toBe(0o700);
    const bytes = readFileSync(join(outbox, name));
    expect(bytes.toString("latin1")).not.toMatch(/[^\r]\n/);
    // a link can be copied directly from the file
    expect(bytes.toString("latin1")).toContain(`?a=1&b=${"x".repeat(120)}\r\n`);
    const mail = readMail(bytes);
    expect(mail.headers).toMatchObject({ to: MAIL.to, subject: CONTENT.subject });
    expect(mail.text.replaceAll("\r\n", "\n").trim()).toBe(CONTENT.text.trim());
  });

  it("is not sent if the folder cannot be written; the advice says so, and no file is left", async () => {
    writeFileSync(outbox, "a file where the folder should be");
    expect(await openOutboxTransport().deliver(MAIL)).toMatchObject({
      kind: "not-sent",
      advice: "Make DATA_DIR/outbox writable, or set SMTP_URL so that mail is actually sent.",
    });
    expect(readdirSync(directory.path)).toEqual(["outbox"]);
  });
});
