import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { contentsPage } from "~/features/library/contents";
import { labeledTitle } from "~/features/library/entry-label";
import { importEdition } from "~/features/library/importer/import-edition.server";
import { findMedia } from "~/features/library/media-store.server";
import { getDatabase } from "~db/client";
import { findDocumentHtml } from "~db/queries/editions";
import {
  type EditionFiles,
  editionFolder,
  editionText,
  SMALL_EDITION,
  writeEdition,
} from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { testSite } from "../support/site";

testSite();
const folders: { remove: () => void }[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderOf(files: EditionFiles): string {
  const folder = editionFolder(files);
  folders.push(folder);
  return folder.path;
}

const chapter = (body: string, fields: Record<string, string | number> = {}): EditionFiles => ({
  "chapters/01-gates.md": editionText({ title: "Gates", summary: "S.", order: 1, ...fields }, body),
});

async function problemsOf(files: EditionFiles): Promise<string[]> {
  const rejected = await importEdition(folderOf(files)).then(
    () => new Error("The edition was taken."),
    (error: Error) => error,
  );
  return rejected.message.split("\n");
}

async function htmlOf(body: string, more: EditionFiles = {}): Promise<string> {
  const edition = await importEdition(folderOf({ ...chapter(body), ...more }));
  return (await findDocumentHtml(edition.digest, "gates")) ?? "";
}

describe("an edition's folder", () => {
  it("becomes chapters and extras in their order, published at their time", async () => {
    const edition = await importEdition(folderOf(SMALL_EDITION));
    const now = new Date();
    expect(edition.chapters(now).map(({ slug, position }) => [slug, position])).toEqual([
      ["gates", 1],
      ["hills", 2],
    ]);
    expect(edition.extras(now)).toMatchObject([{ slug: "one-drawer", extraKind: "practice" }]);
    expect(edition.find("later", now)).toBeNull();
    expect(edition.nextPublication(now)).toEqual(new Date("2999-01-01T00:00:00Z"));
    expect(edition.chapters(new Date("2999-01-01T00:00:00Z"))).toHaveLength(3);
    expect(edition.placeOf("hills", now)).toMatchObject({
      previous: { slug: "gates" },
      next: null,
    });
  });

  it("is the same edition wherever and however often it is imported", async () => {
    const [one, other] = await Promise.all([
      importEdition(folderOf(SMALL_EDITION)),
      importEdition(folderOf(SMALL_EDITION)),
    ]);
    expect(one?.digest).toBe(other?.digest);
    const [rows] = await getDatabase().db.execute<{ count: string }>(
      sql`select count(*) from edition_documents where edition = ${one?.digest}`,
    );
    expect(Number(rows?.count)).toBe(4);
  });

  it("is another edition after any change, and only changed texts are rendered again", async () => {
    const path = folderOf(SMALL_EDITION);
    const before = await importEdition(path);
    writeEdition(path, chapter("Another gate."));
    const after = await importEdition(path);
    expect(after.digest).not.toBe(before.digest);
    expect(await findDocumentHtml(after.digest, "gates")).toContain("Another gate.");
    expect(await findDocumentHtml(after.digest, "hills")).toBe(
      await findDocumentHtml(before.digest, "hills"),
    );
  });
});

describe("a text", () => {
  it("has typographic punctuation, numbered blocks and nested headings", async () => {
    const html = await htmlOf(`It's "here" -- now...\n\n# The step\n\nWalk.\n\n***\n\nRest.`);
    expect(html).toBe(
      '<p id="p1">It’s “here” — now…</p><h2 id="p2">The step</h2><p id="p3">Walk.</p><hr><p id="p4">Rest.</p>',
    );
  });

  it("has its footnotes right after the block that refers to them", async () => {
    const html = await htmlOf(
      "One[^a] and two[^b].\n\nMore[^a].\n\n[^b]: Second *note*.\n[^a]: First.",
    );
    expect(html).toContain(
      '<a href="#fn-1" class="footnote-ref" role="doc-noteref" aria-label="Footnote 1" id="fnref-1">1</a>',
    );
    expect(html.indexOf('id="fn-1"')).toBeGreaterThan(html.indexOf("and two"));
    expect(html.indexOf('id="fn-2"')).toBeLessThan(html.indexOf("More"));
    expect(html.match(/<aside/g)).toHaveLength(2);
    expect(html.match(/id="fnref-1"/g)).toHaveLength(1);
  });

  it("shows the edition's images with their size, under an opaque name", async () => {
    const html = await htmlOf("![A gate](gate.png)", { "chapters/gate.png": PNG_PIXEL });
    const [, name = ""] = /src="\/premium\/media\/([0-9a-f]{32}\.png)"/.exec(html) ?? [];
    expect(html).toMatch(/alt="A gate" width="1" height="1"/);
    expect(await findMedia(name)).toMatchObject({
      mediaType: "image/png",
      bytes: PNG_PIXEL.length,
    });
  });

  it("can run no script and load nothing from other sites", async () => {
    const html = await htmlOf(
      "A [link](/premium) <!-- a comment --> and `<script>`.\n\n> **Bold** ~~old~~",
    );
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("comment");
  });
});

describe("what real books have", () => {
  it("are links to headings, in a text and across, however the anchor is written", async () => {
    const html = await htmlOf(
      "[here](#the-step) [again](#the-step-1) [there](02-hills.md#the-long_hill) [named](02-hills.md#own)\n\n***\n\n## The step\n\n> ## The step",
      {
        "chapters/02-hills.md": editionText(
          { title: "Hills", order: 2 },
          "One.\n\n# The `long` hill!\n\n## Another {#own .wide}",
        ),
      },
    );
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toEqual([
      "#p2",
      "#p3",
      "/premium/chapters/hills#p2",
      "/premium/chapters/hills#p3",
    ]);
    expect(html).toContain('<h2 id="p2">');
  });

  it("are links that follow their heading when its text changes", async () => {
    const hills = (body: string): EditionFiles => ({
      "chapters/02-hills.markdown": editionText({ title: "Hills", order: 2 }, body),
    });
    const link = "[a](02-hills.markdown#walk)";
    expect(await htmlOf(link, hills("# Walk"))).toContain('hills#p1"');
    expect(await htmlOf(link, hills("One.\n\n# Walk"))).toContain('hills#p2"');
    expect(await problemsOf({ ...chapter(link), ...hills("# Run") })).toHaveLength(1);
  });

  it("are attributes, three dashes, and a little HTML without attributes", async () => {
    const html = await htmlOf(
      '# A step {#one .big key="v"}\n\nNow---then. ![A](a.png){width=50%} `x`{.rs} {.y}\n\nH<sub onclick="x">2</sub>O **5<sup>*th*</sup>**<br/><kbd>Esc</kbd> <a id="here"></a>\n\n| a<br>b |\n| - |\n| <kbd>c</kbd> |',
      { "chapters/a.png": PNG_PIXEL },
    );
    expect(html).toContain('<h2 id="p1">A step</h2>');
    expect(html).toContain("Now—then.");
    expect(html).toMatch(/loading="lazy"> <code>x<\/code> \{\.y\}</);
    expect(html).toMatch(
      /H<sub>2<\/sub>O <strong>5<sup><em>th<\/em><\/sup><\/strong><br>\s*<kbd>Esc<\/kbd>/,
    );
    expect(html).toMatch(/<th>a<br>\s*b<\/th>/);
    expect(html).not.toMatch(/onclick|here/);
  });

  it("are wide tables, which scroll in a frame", async () => {
    const row = (columns: number) => `|${" a |".repeat(columns)}\n`;
    const table = (columns: number) =>
      `${row(columns)}|${" - |".repeat(columns)}\n${row(columns)}\n`;
    const html = await htmlOf(table(4) + table(5));
    expect(html).toContain('<table id="p1">');
    expect(html).toContain(
      '<div class="table-frame" role="region" aria-label="Table" tabindex="0" id="p2"><table>',
    );
  });

  it("are parts, and names in place of numbers", async () => {
    const text = (order: number, fields: Record<string, string>) => ({
      [`chapters/${order}-c${order}.md`]: editionText({ title: `C${order}`, order, ...fields }),
    });
    const edition = await importEdition(
      folderOf({
        ...text(1, { label: "Prologue" }),
        ...text(2, { part: "The Valley" }),
        ...text(3, {}),
        ...text(4, { part: "The Ridge" }),
        ...text(5, { part: '""', label: "C5" }),
      }),
    );
    const chapters = edition.chapters(new Date());
    expect(chapters.map((entry) => [entry.part, labeledTitle(entry)])).toEqual([
      [null, "Prologue: C1"],
      ["The Valley", "Chapter 1: C2"],
      ["The Valley", "Chapter 2: C3"],
      ["The Ridge", "Chapter 3: C4"],
      [null, "C5"],
    ]);
    const contents = contentsPage(edition, 1, new Date());
    expect(contents?.sections.map(({ title }) => title)).toEqual([
      ...["Chapters", "The Valley", "The Ridge", "Chapters"],
    ]);
  });

  it("are file names of all kinds, each with its own address", async () => {
    const name = (path: string) => ({
      [`chapters/${path}`]: editionText({ title: "T", order: path.charCodeAt(0) }),
    });
    const edition = await importEdition(
      folderOf({
        ...name("Über den Berg (2).markdown"),
        ...name("02_Hills.md"),
        ...name("第一章.md"),
        ...name("a-b.md"),
        ...name(`${"long-".repeat(30)}name.MD`),
      }),
    );
    const slugs = edition.all().map(({ slug }) => slug);
    expect(slugs).toContain("ueber-den-berg-2");
    expect(slugs).toContain("hills");
    expect(slugs).toContain("a-b");
    expect(slugs.filter((slug) => /^text-[0-9a-f]{8}$/.test(slug))).toHaveLength(1);
    expect(Math.max(...slugs.map(({ length }) => length))).toBe(79);
  });

  it("are texts without a summary, which is their beginning", async () => {
    const summaryOf = async (body: string) =>
      (
        await importEdition(
          folderOf({ "chapters/a.md": editionText({ title: "A", order: 1 }, body) }),
        )
      ).all()[0]?.summary;
    expect(await summaryOf("# One\n\n- a\n\nFirst[^1] & *best*.\n\nSecond.\n\n[^1]: Note.")).toBe(
      "First & best.",
    );
    expect(await summaryOf("word ".repeat(100))).toMatch(/^(?:word ){31}word…$/);
    expect(await summaryOf("- only a list")).toBe("A");
  });
});

describe("a mistake", () => {
  it.each<[string, EditionFiles, string]>([
    [
      "no chapter",
      { "extras/a.md": editionText({ title: "A", summary: "S.", order: 1, kind: "practice" }) },
      "chapters: there is no chapter",
    ],
    [
      "a missing field",
      { "chapters/01-a.md": "---\ntitle: A\n---\ntext" },
      "chapters/01-a.md:1: order: is missing",
    ],
    [
      "an unknown field",
      chapter("x", { author: "me" }),
      "chapters/01-gates.md:5: author: is not known here",
    ],
    [
      "an impossible day",
      chapter("x", { publish: "2026-02-31" }),
      "chapters/01-gates.md:5: publish: there is no such day",
    ],
    [
      "a missing sound",
      chapter("x", { audio: "walk.mp3" }),
      "chapters/01-gates.md:5: audio: chapters/walk.mp3: there is no such file",
    ],
    [
      "a broken link",
      chapter("See [this](02-hills.md)."),
      "chapters/01-gates.md:7: a link leads to '02-hills.md'; there is no such text",
    ],
    [
      "a script as a link",
      chapter("[x](javascript:alert(1))"),
      "chapters/01-gates.md:7: a link leads to 'javascript:alert(1)'; wanted https://…, mailto:… or a file of the edition",
    ],
    [
      "HTML",
      chapter("a\n\n<div>b</div>"),
      "chapters/01-gates.md:9: HTML has no effect here; write Markdown",
    ],
    [
      "a missing image",
      chapter("![A](a.png)"),
      "chapters/01-gates.md:7: a.png: there is no such image",
    ],
    [
      "an image from elsewhere",
      chapter("![A](https://x.test/a.png)"),
      "chapters/01-gates.md:7: https://x.test/a.png: only files of the edition can be images",
    ],
    [
      "an image outside the folder",
      chapter("![A](../../a.png)"),
      "chapters/01-gates.md:7: ../../a.png: there is no such image",
    ],
    [
      "an image that is none",
      { ...chapter("![A](a.png)"), "chapters/a.png": "PNG" },
      "chapters/01-gates.md:7: a.png: is not a readable PNG",
    ],
    [
      "two of one slug",
      {
        ...chapter("x"),
        "chapters/02-gates.md": editionText({ title: "B", summary: "S.", order: 2 }),
      },
      "chapters/02-gates.md: has the same slug as chapters/01-gates.md, 'gates'; rename one of the files",
    ],
    [
      "an id that is another's slug",
      { ...SMALL_EDITION, ...chapter("x", { id: "one-drawer" }) },
      "chapters/01-gates.md:5: id: 'one-drawer' is also the slug or id of extras/one-drawer.md",
    ],
    [
      "two of one id",
      {
        ...chapter("x", { id: "doors" }),
        "chapters/02-b.md": editionText({ title: "B", order: 2, id: "doors" }),
      },
      "chapters/02-b.md:4: id: 'doors' is also the slug or id of chapters/01-gates.md",
    ],
    [
      "an id that is no slug",
      chapter("x", { id: "Old Gates" }),
      "chapters/01-gates.md:5: id: wanted lower-case letters, digits and single hyphens",
    ],
    [
      "two of one order",
      { ...chapter("x"), "chapters/02-b.md": editionText({ title: "B", summary: "S.", order: 1 }) },
      "chapters/02-b.md:4: order: 1 is also that of chapters/01-gates.md",
    ],
    [
      "a link to a heading that is not there",
      chapter("See [this](#the-step).\n\n## A step"),
      "chapters/01-gates.md:7: a link leads to '#the-step'; there is no such heading in chapters/01-gates.md",
    ],
    [
      "a tag that stays open",
      chapter("H<sub>2O"),
      "chapters/01-gates.md:7: HTML has no effect here; write Markdown",
    ],
    [
      "a footnote that is missing",
      chapter("a[^1]\n\n[^2]: b"),
      "chapters/01-gates.md:7: there is no footnote [^1]",
    ],
    [
      "another encoding",
      { "chapters/01-a.md": Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xe4]) },
      "chapters/01-a.md: wanted UTF-8; save it with that encoding",
    ],
  ])("such as %s is reported with its line", async (_, files, problem) => {
    expect(await problemsOf(files)).toContain(problem);
  });

  it("is reported together with all others, and nothing is stored", async () => {
    const count = async () =>
      (await getDatabase().db.execute(sql`select count(*) as n from editions`))[0]?.n;
    const before = await count();
    const problems = await problemsOf({
      ...chapter("[a](a.md)\n\n[b](b.md)"),
      "chapters/02-b.md": "no front matter",
    });
    expect(problems).toHaveLength(3);
    expect(await count()).toBe(before);
  });
});
