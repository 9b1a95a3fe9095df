import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { runCommand } from "../../support/command";
import { type EditionFiles, editionText, SMALL_EDITION, writeEdition } from "../../support/library";
import { temporaryDirectory } from "../../support/program";

let folder: ReturnType<typeof temporaryDirectory>;
let edition: string;

beforeEach(() => {
  folder = temporaryDirectory();
  edition = join(folder.path, "book");
  setEnvironment({ DATA_DIR: folder.path, CONTENT_DIR: edition, LOG_LEVEL: "silent" });
});

afterEach(() => folder.remove());

/** Runs a command as `content …`, with the exit code that the process would have. */
async function content(...command: string[]) {
  const result = await runCommand("content", ...command);
  const code = process.exitCode === 1 ? 1 : result.code;
  process.exitCode = undefined;
  return { ...result, code };
}

const write = (files: EditionFiles) => writeEdition(edition, files);
const chapter = (order: number, fields: Record<string, string> = {}, body?: string) =>
  editionText({ title: `Chapter ${order}`, summary: "S.", order, ...fields }, body);

const photograph = (): Sharp =>
  sharp({ create: { width: 20, height: 10, channels: 3, background: "green" } }).jpeg();

const SITE = "title: Mine\n";

describe("content check", () => {
  it("prints every mistake with file and line, and fails", async () => {
    write({
      "site.yml": SITE,
      "chapters/01-a.md": "---\ntitle: A\n---\n\nText.\n",
      "chapters/02-b.md": chapter(2, {}, "One.\n\nSee [this](03-c.md)."),
      "extras/c.md": editionText({ title: "C", summary: "S.", order: 1, kind: "song" }),
    });
    const { code, stdout, stderr } = await content("check", edition);
    expect(stdout.split("\n")).toEqual([
      "chapters/01-a.md:1: order: is missing",
      "chapters/02-b.md:9: a link leads to '03-c.md'; there is no such text",
      "extras/c.md:5: kind: wanted audio-walk, notebook-page or practice",
      "",
    ]);
    expect(stderr).toBe(`3 mistakes in ${edition}.\n`);
    expect(code).toBe(1);
  });

  it("prints one line with counts if there are no mistakes", async () => {
    write({ ...SMALL_EDITION, "site.yml": SITE });
    const { code, stdout, stderr } = await content("check", edition);
    expect(stdout).toMatch(/^No mistakes: 3 chapters, 1 extra, 50 words, 0 images, 0 sounds\.\n/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("finds no mistake in the sample edition, and says which edition it is", async () => {
    const { code, stdout, stderr } = await content("check");
    expect(stderr).toBe(`There is no edition in ${edition}; this is the sample edition:\n`);
    expect(stdout).toMatch(/^No mistakes: 12 chapters, 6 extras, [\d,]+ words, /);
    expect(code).toBe(0);
  });

  it("says what the site still shows of the sample beside an author's texts", async () => {
    write({ ...SMALL_EDITION, "landing.yml": "biography: { lead: A., paragraphs: [B.] }\n" });
    const { stderr, code } = await content("check", edition);
    expect(stderr).toMatch(
      /^Note: site\.yml: there is none, so the site has the sample's title, author, .*reviews, address; 'content site'/,
    );
    expect(stderr).not.toContain("biography");
    expect(code).toBe(0);
  });

  it("fails for a folder without an edition", async () => {
    expect(await content("check", folder.path)).toMatchObject({
      code: 1,
      stderr: `There is no edition in ${folder.path}: no folder 'chapters'.\n`,
    });
  });

  it("warns of unused files, locations in photographs, and chapters published out of order", async () => {
    const placed = photograph().withExif({ IFD3: { GPSLatitude: "52/1 31/1 0/1" } });
    const turned = await photograph().withMetadata({ orientation: 3 }).toBuffer();
    write({
      "site.yml": SITE,
      "chapters/01-a.md": chapter(1, { publish: "2026-03-01" }, "![A hill](used.jpg)"),
      "chapters/02-b.md": chapter(2, { publish: "2026-02-01" }, "![A dale](turned.jpg)"),
      "chapters/03-c.md": chapter(3),
      "chapters/used.jpg": await placed.toBuffer(),
      "chapters/turned.jpg": turned,
      "media/spare.jpg": Buffer.concat([turned, Buffer.from("!")]),
      "media/notes.txt": "x",
    });
    const { code, stdout, stderr } = await content("check", edition);
    expect(stderr.split("\n")).toEqual([
      "Note: chapters/02-b.md: is published before chapters/01-a.md, which comes before it in the book",
      "Note: chapters/03-c.md: is published before chapters/01-a.md, which comes before it in the book",
      "Note: chapters/used.jpg: tells anyone who looks where it was taken; remove its Exif data",
      "Note: media/notes.txt: no text refers to this file; wanted a PNG, JPEG, GIF, WebP or AVIF image, or an MP3 or M4A sound",
      "Note: media/spare.jpg: no text refers to this file",
      "",
    ]);
    expect(stdout).toContain("No mistakes");
    expect(code).toBe(0);
  });
});

it("content check finds what keeps people from reading, and lists what a person has to look at", async () => {
  const body =
    "![gate.jpg](gate.jpg)\n\n[Here](/premium), [the gate](/premium)\n\n## \n\n| a | |\n|-|-|\n| b | c |";
  write({
    "site.yml": `${SITE}language: de\nebook: { checked_by: Ada Bee }\n`,
    "chapters/01-a.md": chapter(1, {}, body),
    "chapters/gate.jpg": await photograph().toBuffer(),
  });
  const { stdout, stderr } = await content("check", edition);
  expect(stderr.split("\n").filter((line) => line.includes("WCAG"))).toEqual([
    "Note: chapters/01-a.md:7: 'gate.jpg' does not describe a picture (WCAG 1.1.1)",
    "Note: chapters/01-a.md:9: the link 'Here' does not say where it leads (WCAG 2.4.4)",
    "Note: chapters/01-a.md:11: this heading has no words (WCAG 2.4.6)",
    "Note: chapters/01-a.md:13: a column of this table has no name in the first row (WCAG 1.3.1)",
  ]);
  expect(stdout).toMatch(
    /^It claims EPUB .* checked by Ada Bee, who has to look at:\n- Does each/m,
  );
  expect(stdout).toContain("the book's is 'de'");
  expect(stdout).not.toContain("flash");
});

describe("content check of Markdown that was not understood", () => {
  it("names the line and what to write, in texts and pages, and takes them nevertheless", async () => {
    write({
      "site.yml": SITE,
      "chapters/01-a.md": chapter(1, {}, "## A {#a}\n\nOne.\n\n![A gate](my photo.jpg)"),
      "extras/b.md": editionText(
        { title: "B", summary: "S.", order: 1, kind: "practice" },
        "H<sub>2</sub>O is [x][nowhere].",
      ),
      "pages/privacy.md": "---\ntitle: Privacy\n---\n::: note\n\n<!-- a --><b>Who</b>\n",
    });
    const { code, stdout, stderr } = await content("check", edition);
    const as = (text: string, advice: string) =>
      `'${text}' is shown as it stands; ${advice}, or \\ before it if it is meant`;
    const spaces = "put an address with spaces into <>, as in ![A gate](<my photo.jpg>)";
    const line = "write [words](address), or add the line that the second brackets name";
    const fence = "leave out these lines, or begin the lines between them with >";
    expect(stderr.split("\n")).toEqual([
      `Note: chapters/01-a.md:11: ${as("![A gate](my photo.jpg)", spaces)}`,
      `Note: extras/b.md:8: ${as("[x][nowhere]", line)}`,
      `Note: pages/privacy.md:4: ${as("::: note", fence)}`,
      "Note: pages/privacy.md:6: HTML has no effect here; write Markdown",
      "",
    ]);
    expect(stdout).toContain("No mistakes");
    expect(code).toBe(0);
  });
});

describe("content list", () => {
  it("shows published texts, and when others follow", async () => {
    write({
      "chapters/01-a.md": chapter(1, { public: "true" }, "word ".repeat(1_150)),
      "chapters/02-b.md": chapter(2, { publish: "2026-02-01" }),
      "chapters/10-c.md": chapter(10, { publish: "2999-01-01T08:00-05:00" }),
      "extras/d.md": editionText({ title: "D", summary: "S.", order: 1, kind: "practice" }),
    });
    const { code, stdout, stderr } = await content("list", edition);
    expect(stdout).toBe(
      [
        "KIND      ORDER  TITLE       WORDS  MINUTES  PUBLISHED               PUBLIC  SOUND",
        "chapter       1  Chapter 1   1,150        5  yes                     yes",
        "chapter       2  Chapter 2      10        1  2026-02-01",
        "chapter      10  Chapter 10     10        1  from 2999-01-01 13:00Z",
        "practice      1  D              10        1  yes",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("\n1 to come, next 'Chapter 10' on 2999-01-01 13:00Z.\n");
    expect(code).toBe(0);
  });
});

describe("content new", () => {
  it("adds a chapter after the last one, which cannot be published until it is written", async () => {
    write(SMALL_EDITION);
    const { code, stdout, stderr } = await content("new", "What: the 'Gate' — and Größe");
    const path = join(edition, "chapters/04-what-the-gate-and-groesse.md");
    expect(stdout).toBe(`${path}\n`);
    expect(stderr).toBe("Write its text; until then the site keeps serving what it has.\n");
    expect(code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(
      `---\ntitle: "What: the 'Gate' — and Größe"\norder: 4\n---\n\n`,
    );
    const { stdout: problems } = await content("check", edition);
    expect(problems).toBe("chapters/04-what-the-gate-and-groesse.md:5: there is no text\n");
    writeFileSync(path, readFileSync(path, "utf8").concat("Text."));
    expect((await content("check", edition)).code).toBe(0);
  });

  it("never overwrites a text or reuses its address", async () => {
    write(SMALL_EDITION);
    expect(await content("new", "Gates!")).toMatchObject({
      code: 1,
      stderr: "'gates' is the slug of chapters/01-gates.md already; choose another title.\n",
    });
    expect(readdirSync(join(edition, "chapters"))).toHaveLength(3);
  });

  it.each([
    [
      ["New", "--extra", "song"],
      "--extra: found 'song', wanted one of audio-walk, notebook-page, practice.",
    ],
    [["New", "--publish", "2026-02-31"], "--publish: there is no such day: '2026-02-31'."],
    [["  "], "The title is empty: '  '."],
    [["a\nb"], "The title has a line break or control character in it: 'a\nb'."],
  ])("refuses %j", async (command, reason) => {
    const { code, stderr } = await content("new", ...command);
    expect(stderr).toContain(reason);
    expect(code).toBe(1);
  });
});

describe("content copy-sample", () => {
  it("copies an edition that can be imported", async () => {
    expect((await content("copy-sample")).stdout).toBe(`${edition}\n`);
    const { code, stderr } = await content("check");
    expect(stderr).toContain(`The edition in ${edition}:`);
    expect(code).toBe(0);
  });
});
