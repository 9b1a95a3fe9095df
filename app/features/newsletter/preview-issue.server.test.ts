import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { issueOf, PNG_PIXEL } from "../../../tests/support/newsletter";
import { weighIssue, writePreview } from "./preview-issue.server";

const IMAGE = {
  name: "abc.png",
  mediaType: "image/png",
  width: 40,
  height: 30,
  content: PNG_PIXEL,
};
const markdown = "Dear walker,\n\n![A lake](/newsletter/images/abc.png)\n\ngo on.\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "golden-path-preview-"));
  setEnvironment({
    PUBLIC_URL: "https://book.test",
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    MAIL_FROM: "The Golden Path <letters@book.test>",
  });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  setEnvironment({});
});

describe("an issue's preview", () => {
  it("is the mail as HTML and text, with its images beside it", async () => {
    const preview = join(folder, "new", "preview");
    const { files, htmlBytes, warnings } = await writePreview(
      issueOf({ markdown, images: [IMAGE], warnings: ["a warning"] }),
      preview,
    );
    expect(files).toEqual([join(preview, "mail.html"), join(preview, "mail.txt")]);
    const html = readFileSync(join(preview, "mail.html"), "utf8");
    expect(html).toContain("go on.");
    expect(html).toContain('src="abc.png"');
    expect(html).toContain("https://book.test/newsletter/unsubscribe?token=preview");
    expect(readFileSync(join(preview, "mail.txt"), "utf8")).toContain("Dear walker,");
    expect(readFileSync(join(preview, "abc.png"))).toEqual(PNG_PIXEL);
    expect(htmlBytes).toBe(Buffer.byteLength(html));
    expect(warnings).toEqual(["a warning"]);
    expect(statSync(preview).mode & 0o777).toBe(0o700);
  });

  it("replaces an earlier one, including its images", async () => {
    const preview = join(folder, "preview");
    mkdirSync(join(preview, "inner"), { recursive: true });
    writeFileSync(join(preview, "old.png"), PNG_PIXEL);
    await writePreview(issueOf(), preview);
    expect([existsSync(join(preview, "old.png")), existsSync(join(preview, "inner"))]).toEqual([
      false,
      false,
    ]);
  });
});

describe("the warning about an issue's size", () => {
  const weigh = (bytes: number) =>
    weighIssue(issueOf({ warnings: ["first"] }), "x".repeat(bytes)).warnings;

  it("appears above 90 KB of HTML, where Gmail may cut it off, after the file's own warnings", () => {
    expect(weigh(90 * 1024)).toEqual(["first"]);
    expect(weigh(90 * 1024 + 1)).toEqual([
      "first",
      "The mail has 90 KB of HTML; Gmail cuts mails off at 102 KB.",
    ]);
    expect(weigh(100 * 1024)[1]).toContain("100 KB of HTML");
  });
});
