import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMail } from "../../../tests/support/mail";
import { prepareMessage } from "./prepare-message";

const RECIPIENT = {
  email: "walker@example.test",
  unsubscribeToken: "AbCdEf0123456789_-AbCd",
  messageId: "<5f0c1f0e@book.test>",
  date: new Date("2026-11-22T08:30:00Z"),
};

const prepare = (
  render: (url: string) => { html: string; text: string },
  subject = "The first mile",
) =>
  prepareMessage({
    from: "The Golden Path – letters <letters@book.test>",
    subject,
    listId: "newsletter.book.test",
    unsubscribeUrl: (token) => `https://book.test/newsletter/unsubscribe?token=${token}`,
    render: async (url) => render(url),
  });

const plain = (words: string) => (url: string) => ({
  text: `${words}\n${url}\n`,
  html: `<p>${words}</p><a href="${url}">Unsubscribe</a>`,
});

describe("an issue's message", () => {
  it("has what a mail to a list needs, and both bodies", async () => {
    const message = (await prepare(plain("Dear walker, Grüße"))).compose(RECIPIENT);
    const { headers, text, html } = readMail(message);
    const url = "https://book.test/newsletter/unsubscribe?token=AbCdEf0123456789_-AbCd";
    expect(headers).toMatchObject({
      from: "The Golden Path – letters <letters@book.test>",
      to: "<walker@example.test>",
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

  it("differs between recipients in what is theirs alone", async () => {
    const issue = await prepare(plain("Dear walker"));
    const one = issue.compose(RECIPIENT).toString();
    const other = issue
      .compose({ ...RECIPIENT, email: "b@example.test", unsubscribeToken: "B", messageId: "<2@b>" })
      .toString();
    expect(other).not.toContain("walker@");
    expect(other).not.toContain(RECIPIENT.unsubscribeToken);
    expect(issue.compose(RECIPIENT).toString()).toBe(one);
  });

  it("cannot be made without the address to unsubscribe in both bodies", async () => {
    await expect(prepare((url) => ({ text: url, html: "<p></p>" }))).rejects.toThrow(
      "The text/html part has no address to unsubscribe.",
    );
    await expect(prepare((url) => ({ text: "", html: url }))).rejects.toThrow("text/plain");
  });

  it.each([
    "a@b.test>\r\nBcc: c@d.test",
    "a@b.test\nBcc: c",
    "a b@c.test",
    "",
    "a@b.test, c@d.test",
  ])("is not made for %j, which is no address", async (email) => {
    const issue = await prepare(plain("Dear walker"));
    expect(() => issue.compose({ ...RECIPIENT, email })).toThrow("malformed");
  });

  it("says what was written, whatever that is, in lines that every server takes", async () => {
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
        const message = issue.compose(RECIPIENT);
        const lines = message.toString("latin1").split("\r\n");
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
        expect(message.every((byte) => byte < 128)).toBe(true);
        const url = `https://book.test/newsletter/unsubscribe?token=${RECIPIENT.unsubscribeToken}`;
        const { text, html } = readMail(message);
        // and the line break that belongs to the next boundary
        const expected = `${body(url).replace(/\r\n?|\n/g, "\r\n")}\r\n`;
        expect({ text, html }).toEqual({ text: expected, html: expected });
      }),
      { numRuns: 40 },
    );
  });

  it("has one subject in one header, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
        async (raw) => {
          const subject = raw.replace(/[\p{Cc}\u2028\u2029]/gu, "").trim() || "x";
          const message = (await prepare(plain("a"), subject)).compose(RECIPIENT);
          const { headers } = readMail(message);
          expect(headers.subject?.replace(/\s+/g, " ")).toBe(subject.replace(/\s+/g, " "));
          expect(Object.keys(headers)).toHaveLength(11);
        },
      ),
    );
  });
});
