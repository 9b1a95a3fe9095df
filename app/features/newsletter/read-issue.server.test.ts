import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PNG_PIXEL } from "../../../tests/support/newsletter";
import { readImage } from "./issue-images";
import { readIssue } from "./read-issue.server";

const KEY = Buffer.alloc(32, 7);
const HEAD = `---\nsubject: The first mile\nslug: the-first-mile\npreview: A start.\n---\n`;

/** A JPEG's segments up to its size: 40 x 30, with an Exif orientation. */
function jpeg(orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a000000080001011200030000000100000000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const exif = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const app1 = Buffer.alloc(4);
  app1.writeUInt16BE(0xffe1, 0);
  app1.writeUInt16BE(exif.length + 2, 2);
  const frame = Buffer.from("ffc0000b08001e002801011100ffd9", "hex");
  return Buffer.concat([Buffer.from("ffd8", "hex"), app1, exif, frame]);
}

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "issue-"));
  file = join(folder, "issue.md");
  mkdirSync(join(folder, "photos"));
  writeFileSync(join(folder, "photos/lake.png"), PNG_PIXEL);
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(body: string | Buffer, head = HEAD) {
  writeFileSync(file, typeof body === "string" ? head + body : body);
  return readIssue(file, KEY);
}

/** Returns the error message without the folder. */
const problems = async (body: string | Buffer, head?: string) => {
  const error = await read(body, head).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "OperatorError" });
  return (error as Error).message.replaceAll(`${folder}/`, "");
};

describe("an issue's file", () => {
  it("is read with its images under the names they are served by", async () => {
    const issue = await read(
      'Dear [walker](/premium),\n\n> ![A *lake* [sic]](photos/lake.png "At \\"dawn\\"") and ![again][l]\n\n[l]: photos/lake.png\n',
    );
    const name = readImage(PNG_PIXEL, KEY)?.name ?? "";
    expect(name).toMatch(/^[\w-]{22}\.png$/);
    expect(issue).toMatchObject({
      slug: "the-first-mile",
      subject: "The first mile",
      premium: false,
    });
    expect(issue.images).toEqual([
      { name, mediaType: "image/png", width: 1, height: 1, content: PNG_PIXEL },
    ]);
    expect(issue.markdown).toBe(
      `Dear [walker](/premium),\n\n> ![A lake \\[sic\\]](/newsletter/images/${name} "At \\"dawn\\"") and ![again](/newsletter/images/${name})\n\n[l]: photos/lake.png\n`,
    );
    expect(issue.warnings).toEqual([]);
  });

  it("may have Windows line ends, a byte order mark and comments", async () => {
    const issue = await read(
      Buffer.from(`\ufeff${HEAD}<!-- not yet -->  \nDear walker\n`.replaceAll("\n", "\r\n")),
    );
    expect(issue.markdown).toBe("<!-- not yet -->  \nDear walker\n");
  });

  it.each([
    ["HTML before a comment", "<div><!-- a -->", "issue.md:6: HTML is not supported"],
    ["a footnote that nothing refers to", "a\n\n[^1]: b", "issue.md:8: footnotes don't work"],
    [
      "a file for a link that is an image, too",
      "![a][l] and [b][l]\n\n[l]: photos/lake.png",
      "issue.md:8: a link leads to 'photos/lake.png'",
    ],
  ])("is refused with %s", async (_name, body, message) => {
    expect(await problems(body)).toContain(message);
  });

  it.each([
    ["HTML", "a\n\n<b>b</b>", "issue.md:8: HTML is not supported; write it in Markdown"],
    [
      "a footnote",
      "a[^1]\n\n[^1]: b",
      "issue.md:6: footnotes don't work in mail; write it in the text",
    ],
    [
      "a terminal's command",
      "a\u001b[2Jb",
      "issue.md:6: there is a control character in this line",
    ],
    [
      "an image that is none",
      "a\n\n![A gate](my photo.jpg)",
      "issue.md:8: '![A gate](my photo.jpg)' is shown as it stands; put an address with spaces into <>",
    ],
    [
      "a footnote without its line",
      "a[^1]",
      "issue.md:6: '[^1]' is shown as it stands; name a footnote",
    ],
    [
      "a heading's attributes",
      "## A {#a}",
      "issue.md:6: '{#a}' is shown as it stands; leave it out",
    ],
    ["a cell too many", "|a|\n|-|\n|b|c|", "issue.md:8: the table's row has more than 1 cells"],
    ["quotes without end", `a\n${">".repeat(60_000)}`, "issue.md:7: quotes or lists are nested"],
    ["no text", " \n", "issue.md:6: there is no text"],
    [
      "no description of an image",
      "![](photos/lake.png)",
      "issue.md:6: an image has no description",
    ],
    ["a missing image", "\n![a](b.png)", "issue.md:7: b.png: there is no such file"],
    [
      "another's image",
      "![a](https://a.example/p.gif)",
      "issue.md:6: https://a.example/p.gif: only files",
    ],
    [
      "a password file",
      "![a](/etc/passwd)",
      "issue.md:6: /etc/passwd: wanted a file in the issue's folder",
    ],
    [
      "a script for a link",
      "[a](javascript:b)",
      "issue.md:6: a link leads to 'javascript:b'; wanted",
    ],
    ["a file for a link", "[a]\n\n[a]: b.html", "issue.md:8: a link leads to 'b.html'; wanted"],
    [
      "another host's path",
      "[a](//b.example)",
      "issue.md:6: a link leads to '//b.example'; wanted",
    ],
  ])("is refused with %s", async (_name, body, message) => {
    expect(await problems(body)).toContain(message);
  });

  it("is refused with all problems, in line order", async () => {
    const message = await problems("![](x.png)\n\n<i>\n\n[a](b)");
    expect(message.split("\n").map((line) => line.split(":", 2).join(":"))).toEqual([
      "issue.md:6",
      "issue.md:6",
      "issue.md:8",
      "issue.md:10",
    ]);
    expect(await problems("a", "---\nslug: A\n---\n")).toMatch(
      /^issue\.md:1: [\s\S]*\nissue\.md:2: /,
    );
  });

  it.each([
    "{{first_name}}",
    "{{ subscriber.first_name | default: 'friend' }}",
    "*|FNAME|*",
    "%FIRSTNAME%",
    "[name,fallback=friend]",
    "[[firstname]]",
    "{!firstname_fix}",
    "{$name}",
    "{VORNAME}",
    '{first_name, "friend"}',
    "{% if paid %}",
  ])("is refused with another program's placeholder %s, by name and line", async (tag) => {
    expect(await problems(`Dear reader,\n\nwelcome ${tag}!`)).toBe(
      `issue.md:8: '${tag}' is another newsletter program's placeholder and won't be filled in here; write it out`,
    );
    const subject = `---\nsubject: 'For ${tag.replaceAll("'", "’")}'\nslug: a\npreview: b.\n---\n`;
    expect(await problems("Dear reader", subject)).toMatch(
      /^issue\.md:2: '.* is another newsletter program's placeholder/,
    );
  });

  it("may have braces, brackets and percent signs that are none", async () => {
    const text =
      "100 % {of us} [[1]](https://example.test/%C3%A4%20b) *|* {a} 5% or 7% [see, later] [a](/premium)";
    expect((await read(text)).markdown).toBe(text);
  });

  it("is refused unless it is UTF-8 and small enough to mail", async () => {
    expect(await problems(Buffer.from([...Buffer.from(HEAD), 0xe9]))).toBe(
      "issue.md: wanted UTF-8; save it with that encoding.",
    );
    expect(await problems("x".repeat(128 * 1024))).toBe(
      "issue.md: an issue has at most 128 KB of text.",
    );
    await expect(readIssue(join(folder, "none.md"), KEY)).rejects.toThrow(
      "none.md cannot be read (ENOENT).",
    );
    await expect(readIssue("/dev/zero", KEY)).rejects.toThrow("/dev/zero is not a file.");
  });
});

describe("an issue's image", () => {
  it("may not be a link to a file elsewhere", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
    writeFileSync(join(elsewhere, "a.png"), PNG_PIXEL);
    symlinkSync(join(elsewhere, "a.png"), join(folder, "a.png"));
    expect(await problems("![a](a.png)")).toContain("wanted a file in the issue's folder");
    rmSync(elsewhere, { recursive: true });
  });

  it.each([
    ["an SVG", "a.png", "<svg xmlns='http://www.w3.org/2000/svg'/>", "is not a readable PNG"],
    ["a WebP", "a.webp", "RIFF1234WEBPVP8 ", "Outlook shows no WebP"],
    ["half a header", "a.png", PNG_PIXEL.subarray(0, 18), "is not a readable PNG"],
    [
      "a large file",
      "a.png",
      Buffer.concat([PNG_PIXEL, Buffer.alloc(1024 * 1024)]),
      "is larger than 1 MB",
    ],
  ])("is refused if it is %s", async (_what, name, content, problem) => {
    writeFileSync(join(folder, name), content);
    expect(await problems(`![a](${name})`)).toContain(
      `issue.md:6: ${name}: ${problem}`.slice(0, 18),
    );
    expect(await problems(`![a](${name})`)).toContain(problem);
  });

  it.each([
    ["10,001 pixels wide", "00002711", "00000001", "has 10001 by 1 pixels"],
    [
      "more pixels high than the database can count",
      "00000001",
      "ffffffff",
      "has 1 by 4294967295 pixels",
    ],
  ])("is refused if it is %s", async (_what, width, height, problem) => {
    const header = `89504e470d0a1a0a0000000d49484452${width}${height}0802000000`;
    writeFileSync(join(folder, "a.png"), Buffer.from(header, "hex"));
    expect(await problems("![a](a.png)")).toContain(problem);
  });

  it("is sent with its Exif data, with a warning", async () => {
    writeFileSync(join(folder, "my lake.jpg"), jpeg(1));
    expect((await read("![a](my%20lake.jpg)")).warnings).toEqual([
      "my%20lake.jpg carries Exif data, perhaps also where it was taken.",
    ]);
  });
});
