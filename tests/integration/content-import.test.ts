import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { runCommand } from "../support/command";
import { type EditionFiles, SMALL_EDITION, writeEdition } from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { plain } from "../support/pictures";
import { temporaryDirectory } from "../support/program";

let folder: ReturnType<typeof temporaryDirectory>;
let edition: string;
let book: string;

beforeEach(() => {
  folder = temporaryDirectory();
  edition = join(folder.path, "content");
  book = join(folder.path, "book");
  setEnvironment({ DATA_DIR: folder.path, CONTENT_DIR: edition, LOG_LEVEL: "silent" });
});

afterEach(() => folder.remove());

async function importBook(files: EditionFiles, path = "", ...options: string[]) {
  writeEdition(book, files);
  const result = await runCommand("content", "import", join(book, path), ...options);
  const code = process.exitCode === 1 ? 1 : result.code;
  process.exitCode = undefined;
  return { ...result, code };
}

const chapters = () => readdirSync(join(edition, "chapters"));
const chapter = (name: string) => readFileSync(join(edition, "chapters", name), "utf8");
const media = () => readdirSync(join(edition, "media"));

describe("a folder with a SUMMARY.md", () => {
  const BOOK: EditionFiles = {
    "src/SUMMARY.md":
      "# Summary\n\n[Foreword](foreword.md)\n\n# The Valley\n\n- [Gates](gates.md)\n  - [Hinges](small/hinges.md)\n- [Planned]()\n- [Hills](hills.md)\n\n---\n\n[Thanks](thanks.md)\n",
    "src/foreword.md": "# Foreword\n\nGo [on](gates.html#the-step), or [away](nowhere.md).\n",
    "src/gates.md": "# Gates and `walls`\n\n## The step {#step}\n\nWalk.\n",
    "src/small/hinges.md":
      "# Hinges\n\n[back](../gates.md#gates-and-walls) [home](../foreword.md)\n",
    "src/hills.md": "Text alone.\n",
    "src/thanks.md": "# Thanks\n\n*Yes*\n",
    "src/unlisted.md": "# Not in the list\n",
  };

  it("becomes chapters in its order, with parts, labels and links", async () => {
    const { code, stdout, stderr } = await importBook(BOOK);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Imported: 5 chapters, 0 extras, /);
    expect(chapters()).toEqual([
      ...["1-foreword.md", "2-gates-and-walls.md", "3-hinges.md", "4-hills.md", "5-thanks.md"],
    ]);
    expect(chapter("1-foreword.md")).toBe(
      "---\ntitle: Foreword\norder: 1\nlabel: Foreword\n---\n\nGo [on](2-gates-and-walls.md#the-step), or away.\n",
    );
    expect(chapter("2-gates-and-walls.md")).toBe(
      "---\ntitle: Gates and walls\norder: 2\npart: The Valley\n---\n\n## The step {#step}\n\nWalk.\n",
    );
    expect(chapter("3-hinges.md")).toContain(
      "order: 3\nlabel: Chapter 1.1\n---\n\n[back](2-gates-and-walls.md) [home](1-foreword.md)",
    );
    expect(chapter("5-thanks.md")).toContain('part: ""\nlabel: Thanks\n---\n\n*Yes*\n');
    expect(stderr).toContain(
      "1 × link to nothing in the book; its words stay: src/foreword.md:3\n",
    );
    expect(stderr).toContain(
      "1 × file that is not in the book's contents, left out: src/unlisted.md:1\n",
    );
  });

  it("leaves no file behind in a dry run, and never touches an edition", async () => {
    const dry = await importBook(BOOK, "", "--dry-run");
    expect(dry.stdout).toMatch(/^Would import: 5 chapters, /);
    expect(existsSync(edition)).toBe(false);
    writeEdition(edition, { ...SMALL_EDITION, "site.yml": "title: Mine\n" });
    const { code, stderr } = await importBook(BOOK);
    expect(stderr).toBe(`Nothing was imported: there is an edition in ${edition}; move it away.\n`);
    expect(code).toBe(1);
    expect(chapters()).toHaveLength(3);
  });
});

it("is imported beside the author's site.yml", async () => {
  writeEdition(edition, { "site.yml": "title: Mine\n" });
  expect((await importBook({ "a.md": "# A\n\nText.\n" })).code).toBe(0);
  expect(readdirSync(edition).sort()).toEqual(["chapters", "media", "site.yml"]);
});

it("takes the notes of Obsidian in the order of their names", async () => {
  const { code, stderr } = await importBook({
    "README.md": "# About this repository",
    "01 The Valley/2 Gates.md":
      "---\ntitle: Gates\ntags: [a, b]\n---\n\nSee [[10 Hills|the hills]], [[Nobody]] and ==this==. %%hush%%\n\n> [!note] Mind\n> the gap\n\n- [ ] open\n- [x] shut\n\n![[map.png]]\n",
    "01 The Valley/10 Hills.md":
      "---\ndraft: true\nlayout: post\n---\n\n# 2. Hills\n\n![](/assets/map.png)\n\nA *slanted* word[^9].\n",
    "02 The Ridge/appendix.markdown": "# Appendix A: Words\r\n\r\nOne\u0007.\r\n",
    "assets/map.png": PNG_PIXEL,
  });
  expect(code).toBe(0);
  expect(chapters()).toEqual(["1-gates.md", "2-hills.md", "3-words.md"]);
  expect(chapter("1-gates.md")).toBe(
    "---\ntitle: Gates\norder: 1\npart: The Valley\n---\n\nSee [the hills](2-hills.md), Nobody and **this**. \n\n> **Mind**\\\n> the gap\n\n- ☐ open\n- ☑ shut\n\n![map](../media/map.png)\n",
  );
  const hills = chapter("2-hills.md");
  expect(hills).toContain("title: Hills\norder: 2\npublish: draft\n---");
  expect(hills).toContain("![map](../media/map.png)");
  expect(hills).toContain("A *slanted* word(9).");
  expect(chapter("3-words.md")).toBe(
    "---\ntitle: Words\norder: 3\npart: The Ridge\nlabel: Appendix A\n---\n\nOne.\n",
  );
  expect(media()).toEqual(["map.png"]);
  expect(stderr).toContain("1 × picture without a description, which is now its name:");
});

it("divides one long text at its headings, with its parts, links, notes and embedded pictures", async () => {
  const data = `data:image/png;base64,${PNG_PIXEL.toString("base64")}`;
  const { code } = await importBook(
    {
      "book.md": `# My Book\n\nFor you.\n\n# Part One\n\n## Chapter 1: Gates\n\nSee [hills](#the-long-hill) and ![][image1] here[^1].\n\n\`\`\`\n# no heading\n\`\`\`\n\n## Chapter 2: Hills\n\n### The long hill\n\nUp.\n\n# Part Two\n\n## Walls\n\nA wall[^1].\n\n[image1]: <${data}>\n[^1]: The note.\n`,
    },
    "book.md",
  );
  expect(code).toBe(0);
  expect(chapters()).toEqual(["1-my-book.md", "2-gates.md", "3-hills.md", "4-walls.md"]);
  expect(chapter("2-gates.md")).toBe(
    "---\ntitle: Gates\norder: 2\npart: Part One\n---\n\nSee [hills](3-hills.md#the-long-hill) and ![picture 1](../media/picture-1.png) here[^1].\n\n```\n# no heading\n```\n\n\n\n\n[^1]: The note.\n",
  );
  expect(chapter("4-walls.md")).toContain("part: Part Two\n---\n\nA wall[^1].");
  expect(media()).toEqual(["picture-1.png"]);
});

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

/** A file of Word with these paragraphs, a picture and a footnote. */
function wordFile(body: string): Buffer {
  const types = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="png" ContentType="image/png"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const relations = (...all: string[]) =>
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
  const files = {
    "[Content_Types].xml": types,
    "_rels/.rels": relations(relation("r1", "officeDocument", "word/document.xml")),
    "word/_rels/document.xml.rels": relations(
      relation("r1", "image", "media/image1.png"),
      relation("r2", "footnotes", "footnotes.xml"),
    ),
    "word/document.xml": `${XML}<w:document xmlns:w="${WORD}" xmlns:r="${RELATIONS}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body></w:document>`,
    "word/footnotes.xml": `${XML}<w:footnotes xmlns:w="${WORD}"><w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
  };
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
  return Buffer.from(
    zipSync({ ...Object.fromEntries(entries), "word/media/image1.png": new Uint8Array(PNG_PIXEL) }),
  );
}

const run = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, style = "") =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${content}</w:p>`;
const PICTURE =
  '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A gate"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="r1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>';

describe("a file of Word", () => {
  it("becomes chapters with emphasis, footnotes and pictures", async () => {
    const file = wordFile(
      [
        paragraph(run("Gates"), "Heading1"),
        paragraph(
          `${run("A ")}${run("bold", "<w:b/>")}${run(" gate")}<w:r><w:footnoteReference w:id="1"/></w:r>${run("2", '<w:vertAlign w:val="superscript"/>')}`,
        ),
        paragraph(PICTURE),
        paragraph(run("Hills"), "Heading1"),
        paragraph(run("A *hill*."), "Strange"),
      ].join(""),
    );
    const { code, stderr } = await importBook({ "book.docx": file }, "book.docx");
    expect(code).toBe(0);
    expect(chapters()).toEqual(["1-gates.md", "2-hills.md"]);
    expect(chapter("1-gates.md")).toBe(
      "---\ntitle: Gates\norder: 1\n---\n\nA **bold** gate[^footnote-1]<sup>2</sup>\n\n![A gate](../media/picture-1.png)\n\n\n[^footnote-1]: A note.\n",
    );
    expect(chapter("2-hills.md")).toContain("A \\*hill\\*.");
    expect(stderr).toMatch(/^1 × .*Strange.*: book\.docx:1$/m);
  });

  it("is refused with a message if it is none", async () => {
    const { code, stderr } = await importBook({ "book.docx": "PK nothing" }, "book.docx");
    expect(stderr).toContain("is not a readable Word file (.docx)");
    expect(code).toBe(1);
    expect((await importBook({ "book.pdf": "x" }, "book.pdf")).stderr).toContain(
      "wanted a folder, a Markdown file (.md) or a Word file (.docx)",
    );
    expect((await importBook({}, "nothing")).stderr).toContain("There is no ");
  });
});

describe("pictures", () => {
  it("that are too large or in other formats are converted, and rubbish leaves its description", async () => {
    const { code, stderr } = await importBook({
      "a.md":
        "# A\n\n![one](large.png) ![two](drawing.svg) ![three](scan.tiff) ![four](broken.png) ![five](https://x.test/a.png) ![six](../outside.png)\n",
      "large.png": await plain(5_000, 40).png().toBuffer(),
      "drawing.svg":
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9"/></svg>',
      "scan.tiff": await plain(20, 10).tiff().toBuffer(),
      "broken.png": "PNG",
      "../outside.png": PNG_PIXEL,
    });
    expect(code).toBe(0);
    expect(media()).toEqual(["drawing.png", "large.jpg", "scan.jpg"]);
    expect((await sharp(join(edition, "media/large.jpg")).metadata()).width).toBe(2_400);
    expect(chapter("1-a.md")).toContain("![three](../media/scan.jpg) four five six\n");
    expect(stderr).toContain(
      "3 × picture that is missing, unreadable or on another site; its description stays: a.md:3, a.md:3, a.md:3\n",
    );
  });
});

describe("rubbish", () => {
  it("is named by kind and by its first lines, however much there is", async () => {
    const { stderr, stdout } = await importBook({
      "a.md": `# A\n\n${"[y](z.md)\n\n".repeat(800)}`,
      "b.md": "# A\n\n[^1] <sub>\n",
      "empty.md": "",
    });
    expect(stderr).toContain(
      "800 × link to nothing in the book; its words stay: a.md:3, a.md:5, a.md:7, …\n",
    );
    expect(stderr.length + stdout.length).toBeLessThan(2_000);
  });

  it("that is not in UTF-8 is refused with the file's name", async () => {
    const { code, stderr } = await importBook({ "c.md": Buffer.from([0x23, 0x20, 0xe9]) });
    expect(stderr).toContain("c.md is not in UTF-8. Save it in that encoding, then try again.\n");
    expect(code).toBe(1);
  });

  it("within the limits of a text is divided, and mistakes that stay are listed", async () => {
    const { code, stdout } = await importBook({
      "a.md": `# Long\n\n${Array.from({ length: 6 }, (_, n) => `## S${n}\n\n${"word ".repeat(12_000)}`).join("\n\n")}`,
      "b.md": "# B\n\nH<sub>2\n",
    });
    expect(chapters().slice(0, 2)).toEqual(["1-s0.md", "2-s1.md"]);
    expect(stdout).toMatch(
      /^chapters\/7-b\.md:6: HTML has no effect here; write Markdown\nImported: /,
    );
    expect(code).toBe(1);
    writeFileSync(join(edition, "chapters/7-b.md"), chapter("7-b.md").replace("<sub>", ""));
    expect((await runCommand("content", "check", edition)).stdout).toContain("No mistakes");
  });
});
