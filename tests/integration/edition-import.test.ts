import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
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

describe("a mistake", () => {
  it.each<[string, EditionFiles, string]>([
    [
      "no chapter",
      { "extras/a.md": editionText({ title: "A", summary: "S.", order: 1, kind: "practice" }) },
      "chapters: there is no chapter",
    ],
    [
      "a missing field",
      { "chapters/01-a.md": "---\ntitle: A\norder: 1\n---\ntext" },
      "chapters/01-a.md:1: summary: is missing",
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
      "two of one order",
      { ...chapter("x"), "chapters/02-b.md": editionText({ title: "B", summary: "S.", order: 1 }) },
      "chapters/02-b.md:4: order: 1 is also that of chapters/01-gates.md",
    ],
    [
      "a bad name",
      { ...chapter("x"), "chapters/Über.md": editionText({ title: "B", summary: "S.", order: 2 }) },
      "chapters/Über.md: the file's name becomes its address; wanted up to 80 lower-case letters, digits and single hyphens, as in '03-small-hinges.md'",
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
