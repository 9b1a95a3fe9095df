import { describe, expect, it } from "vitest";
import { renderMail } from "./mail-template";

const content = {
  heading: "Fish & <chips>",
  paragraphs: ["You asked for 'it'.", 'And "that".'],
  action: { label: "Go <on>", url: "https://example.com/?a=1&b=\"><script>alert('x')</script>" },
  notes: ["It lasts <b>an hour</b>."],
};

describe("a mail", () => {
  it("has the same content in plain text, with the URL on a line of its own", () => {
    const { text } = renderMail(content);
    expect(text.split("\n")).toContain(content.action.url);
    for (const words of [content.heading, ...content.paragraphs, ...content.notes]) {
      expect(text).toContain(words);
    }
  });

  it("escapes all its content", () => {
    const { html } = renderMail(content);
    expect(html).not.toMatch(/<script|<chips|<on>|<b>/);
    expect(html).toContain("Fish &amp; &lt;chips&gt;");
    expect(html).toContain('href="https://example.com/?a=1&amp;b=&quot;&gt;&lt;script&gt;');
  });
});
