import fc from "fast-check";
import nodemailer from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { composeMessage } from "~/features/mail/compose-message.server";
import type { RenderedMail } from "~db/schema";
import { readMail } from "../../../tests/support/mail";
import { prepareMessage } from "./prepare-message";

const TOKEN = "AbCdEf0123456789_-AbCd";

const mailer = nodemailer.createTransport({
  streamTransport: true,
  buffer: true,
  newline: "windows",
});

beforeAll(() => setEnvironment({ MAIL_FROM: "The Golden Path – letters <letters@book.test>" }));
afterAll(() => setEnvironment({}));

/** Returns the raw message that is sent for a mail. */
async function sent(content: RenderedMail): Promise<Buffer> {
  const mail = {
    messageId: "<5f0c1f0e@book.test>",
    to: "walker@example.test",
    date: new Date("2026-11-22T08:30:00Z"),
    content,
    abandonAfterMs: 1000,
  };
  const { message } = await mailer.sendMail(composeMessage(mail));
  return message as Buffer;
}

const prepare = (
  render: (url: string) => { html: string; text: string },
  subject = "The first mile",
) =>
  prepareMessage({
    subject,
    listId: "newsletter.book.test",
    feedbackId: "the-first-mile:newsletter:booktest",
    unsubscribeUrl: (token) => `https://book.test/newsletter/unsubscribe?token=${token}`,
    render: async (url) => render(url),
  });

const plain = (words: string) => (url: string) => ({
  text: `${words}\n${url}\n`,
  html: `<p>${words}</p><a href="${url}">Unsubscribe</a>`,
});

describe("an issue's message", () => {
  it("has the list headers and both bodies", async () => {
    const message = await sent((await prepare(plain("Dear walker, Grüße"))).compose(TOKEN));
    const { headers, text, html } = readMail(message);
    const url = "https://book.test/newsletter/unsubscribe?token=AbCdEf0123456789_-AbCd";
    expect(headers).toMatchObject({
      from: "The Golden Path – letters <letters@book.test>",
      to: "walker@example.test",
      subject: "The first mile",
      "message-id": "<5f0c1f0e@book.test>",
      date: "Sun, 22 Nov 2026 08:30:00 +0000",
      "list-id": "<newsletter.book.test>",
      "list-unsubscribe": `<${url}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "auto-submitted": "auto-generated",
      "mime-version": "1.0",
    });
    expect(text).toBe(`Dear walker, Grüße\r\n${url}\r\n\r\n`);
    expect(html).toBe(`<p>Dear walker, Grüße</p><a href="${url}">Unsubscribe</a>\r\n`);
  });

  it("differs between recipients only in their own links", async () => {
    const issue = await prepare(plain("Dear walker"));
    const one = issue.compose(TOKEN);
    const other = issue.compose("B");
    expect(JSON.stringify(other)).not.toContain(TOKEN);
    expect(issue.compose(TOKEN)).toEqual(one);
  });

  it("fails unless both bodies have the unsubscribe link", async () => {
    await expect(prepare((url) => ({ text: url, html: "<p></p>" }))).rejects.toThrow(
      "The text/html part has no address to unsubscribe.",
    );
    await expect(prepare((url) => ({ text: "", html: url }))).rejects.toThrow("text/plain");
  });

  it("keeps any text intact, in lines that every server accepts", async () => {
    const words = fc.oneof(
      fc.constantFrom("\r", " \r\n"),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            "=",
            "\n",
            "\r\n",
            ".",
            " ",
            "\t",
            "--",
            "ä",
            "🎉",
            "=3D",
            "x".repeat(90),
          ),
        )
        .map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(words, words, words, async (before, between, after) => {
        const body = (url: string) => before + url + between + url + after;
        const issue = await prepare((url) => ({ text: body(url), html: body(url) }));
        const message = await sent(issue.compose(TOKEN));
        const lines = message.toString("latin1").split("\r\n");
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
        expect(message.every((byte) => byte < 128)).toBe(true);
        const url = `https://book.test/newsletter/unsubscribe?token=${TOKEN}`;
        const { text, html } = readMail(message);
        // plus the line break that belongs to the next boundary
        const expected = `${body(url).replace(/\r\n?|\n/g, "\r\n")}\r\n`;
        expect({ text, html }).toEqual({ text: expected, html: expected });
      }),
      { numRuns: 40 },
    );
  });

  it("puts any subject into one header", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
        async (raw) => {
          const subject = raw.replace(/[\p{Cc}\u2028\u2029]/gu, "").trim() || "x";
          const message = await sent((await prepare(plain("a"), subject)).compose(TOKEN));
          const { headers } = readMail(message);
          expect(headers.subject?.replace(/\s+/g, " ")).toBe(subject.replace(/\s+/g, " "));
          expect(Object.keys(headers)).toHaveLength(12);
        },
      ),
    );
  });
});
