import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { setBookFilesFolder } from "~/features/library/book/book-files.server";
import { memberBook } from "~/features/library/book/member-book.server";
import type { Edition } from "~/features/library/edition";
import { epubCheck, epubCheckWithoutJava } from "../support/epub-checkers";
import { hasJava } from "../support/html-checkers";
import { editionText, SMALL_EDITION, takeEdition } from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { testSite } from "../support/site";
import { isFullRun } from "../support/test-scope.mjs";

const LIBRARY = resolve(import.meta.dirname, "../../app/features/library");
const SAMPLE = join(LIBRARY, "sample-edition");
const NOW = new Date("2026-11-22T12:00:00Z");

testSite({ variables: { PUBLIC_URL: "https://book.example" } });

beforeAll(async () => {
  setBookFilesFolder(join(LIBRARY, "book-files"));
});

async function epubFor(edition: Edition, email = "walker@example.test", now = NOW) {
  return buffer(await memberBook(edition, { email, now }));
}

async function filesOf(epub: Buffer): Promise<Record<string, string>> {
  const files = Object.entries(unzipSync(epub));
  return Object.fromEntries(files.map(([name, content]) => [name, strFromU8(content)]));
}

/** Everything a text may contain. */
const EVERYTHING = `"Quoted" -- *emphasis*, **strong**, ~~struck~~, \`code & <tag>\`, a hard break\\
and H~2~O, é, 漢字, 🥾, & < > and more.

# One

## Two {#second}

H<sub>2</sub>O, 5<sup>*th*</sup>, <kbd>Esc</kbd>, a<br>break, [a heading](#second), [a step](05-steps.md#second-step).

| a | b | c | d | e |
| - | - | - | - | - |
| 1 | 2 | 3 | 4 | 5 |

### Three

#### Four

##### Five

###### Six

A note[^1], another[^long], the first again[^1].

[^1]: Short, with a note of its own[^inner].
[^long]: Long.

    With a second paragraph and a [link](02-hills.md).

[^inner]: The inner one.

- a
- b
  1. one
  2. two

     two's second paragraph

7. seven
8. eight

> A quotation
>
> > in a quotation
>
> - with a list

\`\`\`js
const a = "<b>" && 'c';
\`\`\`

    indented code

| left | center | right |
| :--- | :----: | ----: |
| a    |   b    |     c |
| d \\| e | [f](https://example.test/?a=1&b=2) | ![g](gate.png) |

***

![A gate & a "hill"](gate.png "A title")

Text with ![a gate](gate.png) in it, [![linked](gate.png)](https://example.test/).

[Hills](02-hills.md), [later](03-later.md), [extra](../extras/one-drawer.md), [a file](gate.png),
[the site](/premium), [far](https://example.test/ü?q=a b), [mail](mailto:maren@example.test),
<https://example.test/a_(b)>, www.example.test, [odd](<https://example.test/%zz|^{}[a]\\?b=|[]<#"x"#y>),
[mail with more](mailto:a@example.test?subject=A%20gate&body=x).
`;

const everything = {
  ...SMALL_EDITION,
  "chapters/01-gates.md": editionText(
    { title: `'Gates & <Hills> "quoted" ]]>'`, summary: "S.", order: 1, part: "A & <B>" },
    EVERYTHING,
  ),
  "chapters/05-steps.md": editionText(
    { title: "Steps", order: 5, part: '""', label: "Appendix A" },
    "One.\n\n## Second step",
  ),
  "chapters/gate.png": PNG_PIXEL,
};

/** The sample edition's book must stay valid after any addition. */
async function sampleWithEverything(): Promise<Edition> {
  const files = Object.fromEntries(
    readdirSync(SAMPLE, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => {
        const path = join(file.parentPath, file.name);
        return [relative(SAMPLE, path), readFileSync(path)];
      }),
  );
  const more = Object.entries(everything).map(([path, content], index) => {
    const text = content.toString().replace(/^order: \d+/m, `order: ${100 + index}`);
    return [
      path.replace("/0", "/9"),
      path.endsWith(".md") ? text.replaceAll("](0", "](9") : content,
    ];
  });
  return takeEdition({ ...files, ...Object.fromEntries(more) });
}

describe("EPUBCheck", () => {
  it("finds no fault in a book of everything a text may contain", async () => {
    // the sample edition would take much longer
    const edition = await (isFullRun ? sampleWithEverything() : takeEdition(everything));
    const epub = await epubFor(edition, `"a&b<c>'\u0007"@example.test`);
    expect(await epubCheckWithoutJava.check(epub)).toEqual([]);
  });

  it.runIf(isFullRun && hasJava())(
    "in Java finds no fault in all of it",
    async () => {
      const epub = await epubFor(await sampleWithEverything(), `"a&b<c>'"@example.test`);
      if (process.env.KEEP_BOOK) writeFileSync(`${process.env.KEEP_BOOK}.all.epub`, epub);
      expect(await epubCheck.check(epub)).toEqual([]);
    },
    180_000,
  );
});

describe("the book", () => {
  it.each([
    ["", []],
    ["ebook: { checked_by: Ada Bee }\n", ["EPUB Accessibility 1.1 - WCAG 2.2 Level AA", "Ada Bee"]],
  ])("claims that it was checked only by somebody named: %j", async (ebook, claims) => {
    const edition = await takeEdition({ ...SMALL_EDITION, "site.yml": `title: Mine\n${ebook}` });
    const epub = await epubFor(edition, "a@example.test");
    const { "EPUB/package.opf": opf = "" } = await filesOf(epub);
    expect(
      [...opf.matchAll(/property="(?:dcterms:conformsTo|a11y:certifiedBy)"[^>]*>([^<]*)/g)].map(
        ([, value]) => value,
      ),
    ).toEqual(claims);
    expect(opf).toContain("schema:accessibilitySummary");
    expect(await epubCheckWithoutJava.check(epub)).toEqual([]);
  });

  it("contains exactly the published texts, in order", async () => {
    const edition = await takeEdition(SMALL_EDITION);
    const files = await filesOf(await epubFor(edition));
    const spine = [...(files["EPUB/package.opf"] ?? "").matchAll(/idref="([^"]+)"/g)];
    expect(spine.map(([, id]) => id)).toEqual([
      ...["cover", "title-page", "contents", "chapter-gates", "chapter-hills"],
      ...["extras", "extra-one-drawer", "colophon"],
    ]);
    const all = Object.values(files).join();
    expect(all).toContain("A hill is mostly patience.");
    expect(all).not.toMatch(/secret of the far future|Later/);
    const then = await filesOf(
      await epubFor(edition, "walker@example.test", new Date("2999-01-02T00:00:00Z")),
    );
    expect(then["EPUB/chapter-later.xhtml"]).toContain("A secret of the far future.");
    expect(then["EPUB/package.opf"]).toContain("2999-01-01T00:00:00Z");
  });

  it("links between its texts inside the book, and otherwise to the site", async () => {
    const files = await filesOf(await epubFor(await takeEdition(everything)));
    const text = files["EPUB/chapter-gates.xhtml"] ?? "";
    for (const href of [
      "chapter-hills.xhtml",
      "chapter-steps.xhtml#p2",
      "extra-one-drawer.xhtml",
      // not published yet
      "https://book.example/premium/chapters/later",
      "https://book.example/premium",
      "mailto:maren@example.test",
    ]) {
      expect(text).toContain(`href="${href}"`);
    }
    const nav = files["EPUB/contents.xhtml"]?.replace(/<[^>]+>/g, "|").replace(/\|+/g, "|");
    expect(nav).toMatch(/\|A &\S+ &\S+B>\|1\. [^|]+\|2\. Hills\|Appendix A: Steps\|Extras\|/);
    expect(files["EPUB/toc.ncx"]).toMatch(/playOrder="1"><navLabel><text>A &/);
    expect(text).toMatch(/<a [^>]*href="#fn-1"[^>]* epub:type="noteref"/);
    expect(text).toMatch(/<aside [^>]*id="fn-1"[^>]* epub:type="footnote"/);
    const images = Object.keys(files).filter((name) => name.startsWith("EPUB/images/"));
    expect(images).toHaveLength(1);
    expect(text).toContain(`src="${images[0]?.slice("EPUB/".length)}"`);
  });

  it("has each member's own address alone, whoever else downloads it at the same time", async () => {
    const edition = await takeEdition({
      ...SMALL_EDITION,
      "chapters/04-new.md": editionText({ title: "New", summary: "S.", order: 4 }),
    });
    const emails = Array.from({ length: 20 }, (_, n) => `member-${n}@example.test`);
    const books = await Promise.all(emails.map((email) => epubFor(edition, email)));
    for (const [index, epub] of books.entries()) {
      const files = await filesOf(epub);
      expect(files["EPUB/colophon.xhtml"]).toContain(`>${emails[index]}<`);
      expect(
        Object.values(files)
          .join()
          .match(/member-\d+@/g),
      ).toEqual([`member-${index}@`]);
    }
  });
});
