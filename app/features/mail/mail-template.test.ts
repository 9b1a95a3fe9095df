import { describe, expect, it } from "vitest";
import { renderMail } from "./mail-template";

const letter = {
  heading: "Fish & <chips>",
  paragraphs: ["You asked for 'it'.", 'And "that".'],
  action: { label: "Go <on>", url: "https://example.com/?a=1&b=\"><script>alert('x')</script>" },
  notes: ["It lasts <b>an hour</b>."],
};

describe("a letter", () => {
  it("says the same in plain text, with the address on a line of its own", () => {
    const { text } = renderMail(letter);
    expect(text.split("\n")).toContain(letter.action.url);
    for (const words of [letter.heading, ...letter.paragraphs, ...letter.notes]) {
      expect(text).toContain(words);
    }
  });

  it("lets nothing it is given become markup", () => {
    const { html } = renderMail(letter);
    expect(html).not.toMatch(/<script|<chips|<on>|<b>/);
    expect(html).toContain("Fish &amp; &lt;chips&gt;");
    expect(html).toContain('href="https://example.com/?a=1&amp;b=&quot;&gt;&lt;script&gt;');
  });
});
