import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { clearCurrentEdition } from "~/features/library/current-edition.server";
import type { Edition } from "~/features/library/edition";
import { loadEdition } from "~/features/library/importer/import-edition.server";
import { markMatches } from "~/features/library/load-reading.server";
import { searchLibrary } from "~/features/library/search.server";
import type { MarkedText, SearchView } from "~/features/library/search-view";
import { loader as readChapter } from "~/routes/premium_.chapters_.$slug/route";
import { loader as readExtra } from "~/routes/premium_.extras.$slug/route";
import { loader } from "~/routes/premium_.search/route";
import { getDatabase } from "~db/client";
import { findDocumentHtml } from "~db/queries/editions";
import { type EditionFiles, editionText, takeEdition } from "../support/library";
import { signIn } from "../support/payments";
import { get, ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

testSite();
afterEach(async () => {
  clearCurrentEdition();
  await getDatabase().db.execute(sql`truncate editions, users cascade`);
});

/** An edition of chapters, each with its fields and its text. */
function take(...chapters: [fields: object, body: string][]) {
  const files: EditionFiles = {};
  for (const [index, [fields, body]] of chapters.entries()) {
    const number = index + 1;
    files[`chapters/${String(number).padStart(2, "0")}-stretch-${number}.md`] = editionText(
      { title: `Stretch ${number}`, summary: "A part of the way.", order: number, ...fields },
      body,
    );
  }
  return takeEdition(files);
}

const search = (edition: Edition, words: string, { page = 1, now = new Date() } = {}) =>
  searchLibrary(edition, { words, page, now });

const titles = ({ results }: SearchView) => results.map(({ title }) => plain(title));
const plain = (text: MarkedText) => text.map(({ text }) => text).join("");
const marked = (text: MarkedText = []) =>
  text.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");

const tomorrow = () => new Date(Date.now() + 86_400_000);

/** The block of a text to which a result leads, as a member sees it. */
async function openResult({ path }: { path: string } = { path: "" }): Promise<string> {
  const { pathname, hash } = new URL(path, ORIGIN);
  const [, , kind, slug = ""] = pathname.split("/");
  const load = kind === "chapters" ? readChapter : readExtra;
  const answer = await get(load, path, await signIn(tomorrow()), { slug });
  const { html } = (await answer.json()) as { html: string };
  const places = [...html.matchAll(/<mark id="hit-(\d+)">/g)].map(([, number]) => Number(number));
  expect(places).toEqual(places.map((_, index) => index + 1));
  return (
    new RegExp(`<(\\w+) id="${hash.slice(1)}">.*?</\\1>`).exec(
      html.replace(/ id="hit-\d+"/g, ""),
    )?.[0] ?? ""
  );
}

/** The passage of the first result, its marked words in brackets. */
async function passageFor(edition: Edition, words: string): Promise<string> {
  const { results } = await search(edition, words);
  return marked(results[0]?.passage);
}

describe("a search", () => {
  it("finds a word in any of its forms, and links to the place", async () => {
    const edition = await take(
      [{}, "Nothing here.\n\n***\n\nHe walked on, and she was walking behind him."],
      [{}, "A door."],
    );
    const { results, total } = await search(edition, "walks");
    expect(total).toBe(1);
    expect(results).toMatchObject([
      {
        label: "Chapter 1",
        title: [{ text: "Stretch 1", isMatch: false }],
        isCut: { before: false, after: false },
      },
    ]);
    expect(marked(results[0]?.passage)).toBe("He [walked] on, and she was [walking] behind him.");
    expect(await openResult(results[0])).toBe(
      '<p id="p2">He <mark>walked</mark> on, and she was <mark>walking</mark> behind him.</p>',
    );
  });

  it("keeps every character of the query on the way to a result", async () => {
    const edition = await take([{}, "A stool by the lantern, and a bench."]);
    const { results } = await search(edition, "stool&bench#+%");
    expect(await openResult(results[0])).toBe(
      '<p id="p1">A <mark>stool</mark> by the lantern, and a <mark>bench</mark>.</p>',
    );
  });

  it("finds words in typographic quotation marks, before dashes and with apostrophes", async () => {
    const edition = await take([
      {},
      '"Stop," he said--"the river\'s here..." She went to the shelf/door of a café at 14:30.',
    ]);
    for (const words of ["Stop", "said", "café", "shelf"]) {
      expect(await passageFor(edition, words.toUpperCase()), words).toContain(`[${words}]`);
    }
    for (const words of ["river's", "river’s", "“the river’s here”"]) {
      expect(await passageFor(edition, words), words).toContain("[river]");
    }
    expect(await passageFor(edition, "river")).toContain("“Stop,” he said—“the [river]’s here…”");
  });

  it.each([
    ["without its accent", "A café.", "cafe", "A [café]."],
    ["with one", "A cafe.", "café", "A [cafe]."],
    ["that the file has decomposed", "A cafe\u0301 now", "CAFÉ", "A [cafe\u0301] now"],
    ["without a diaeresis, as hypothesis/h #729 asks", "So naïve.", "naive", "So [naïve]."],
    ["without ß", "Die Straße.", "strasse", "Die [Straße]."],
    ["without ß, in capitals", "DIE STRAẞE.", "straße", "DIE [STRAẞE]."],
    ["with the sign of the Ångström", "An \u212bngström.", "angstrom", "An [\u212bngström]."],
    [
      "with letters that do not decompose: lucaong/minisearch #153",
      "In Łódź.",
      "lodz",
      "In [Łódź].",
    ],
    ["with Nordic letters", "Ærøs øl.", "aeros ol", "[Ærøs] [øl]."],
    ["with a ligature", "A ﬁnger.", "finger", "A [ﬁnger]."],
    [
      "with soft hyphens: julkue/mark.js #69",
      "A wan\u00adder\u00ader.",
      "wanderer",
      "A [wan\u00adder\u00ader].",
    ],
    [
      "with zero-width spaces: cisagov/decider #85",
      "A lan\u200btern.",
      "lantern",
      "A [lan\u200btern].",
    ],
    ["searched with them", "A lantern.", "lan\u200b\u2060tern", "A [lantern]."],
    [
      "with a hyphen that does not break",
      "A well\u2011known",
      "well-known",
      "A [well]\u2011[known]",
    ],
    ["with a letter for an apostrophe", "The riverʼs bed.", "river's", "The [river]ʼs bed."],
    ["without half rings: Princeton-CDH/geniza #9", "Mikhaʾil", "mikhail", "[Mikhaʾil]"],
    ["without Arabic's vowels: dokuwiki/dokuwiki #769", "كِتَابُ", "كتاب", "[كِتَابُ]"],
    ["with Greek's last letter", "Η ΟΔΟΣ.", "οδός", "Η [ΟΔΟΣ]."],
    [
      "in Chinese: telegramdesktop/tdesktop #1834",
      "这是中文測試。",
      "中文測試",
      "这是[中文測試]。",
    ],
    ["in Chinese, at its end", "中文測試。", "測試", "中文[測試]。"],
    ["of one character", "木の家", "家", "木の[家]"],
    ["beside digits: BranchMetrics/sesame_issues #143", "铁路12306号", "12306", "铁路[12306]号"],
    ["in half-width Japanese: openclaw/clawhub #1596", "ｶﾞﾗｽのﾃｽﾄ", "テスト", "ｶﾞﾗｽの[ﾃｽﾄ]"],
    ["in Thai", "ฉันรักน้ำมาก", "น้ำ", "ฉันรัก[น้ำ]มาก"],
  ])("finds a word %s, and shows it as it is", async (_name, text, words, passage) => {
    const edition = await take([{}, `${text}\n\nAnother one.`], [{}, "A door, 木, 文中."]);
    expect(await passageFor(edition, words)).toBe(passage);
    const html = (await findDocumentHtml(edition.digest, "stretch-1")) ?? "";
    expect(
      (await markMatches(html, words)).replace(/<(\/?)mark>/g, (_, end) => (end ? "]" : "[")),
    ).toBe(html.replace(passage.replace(/[[\]]/g, ""), passage));
  });

  it("does not take Japanese letters for others", async () => {
    const edition = await take([{}, "かき"]);
    expect((await search(edition, "がき")).total).toBe(0);
    expect((await search(edition, "きか")).total).toBe(0);
    expect((await search(edition, "door -かき")).total).toBe(0);
  });

  it("understands phrases, alternatives and exclusions", async () => {
    const edition = await take(
      [{}, "The blue stool stands by the window."],
      [{}, "A stool, and the sky is blue."],
      [{}, "A kettle."],
    );
    const found = async (words: string) => titles(await search(edition, words)).sort();
    expect(await found("blue stool")).toEqual(["Stretch 1", "Stretch 2"]);
    expect(await found('"blue stool"')).toEqual(["Stretch 1"]);
    expect(await found("kettle or window")).toEqual(["Stretch 1", "Stretch 3"]);
    expect(await found("stool -window")).toEqual(["Stretch 2"]);
    expect(await found("stool kettle")).toEqual([]);
    const { results } = await search(edition, "stool -window");
    expect(marked(results[0]?.passage)).toBe("A [stool], and the sky is blue.");
  });

  it("treats the last word as a prefix if nothing has the word", async () => {
    const edition = await take([{}, "The forester carried a lantern."], [{}, "A car."]);
    expect(await passageFor(edition, "lanter")).toBe("The forester carried a [lantern].");
    // but not if something has it
    expect(titles(await search(edition, "car"))).toEqual(["Stretch 2"]);
  });

  it("shows titles first, then summaries, then the texts with most matches", async () => {
    const edition = await take(
      [{}, "One hinge, and much else that fills a page."],
      [{}, "A hinge, a second hinge, and hinges."],
      [{ summary: "On hinges." }, "A door."],
      [{ title: "Small Hinges" }, "A door."],
    );
    const found = await search(edition, "hinge");
    expect(titles(found)).toEqual(["Small Hinges", "Stretch 3", "Stretch 2", "Stretch 1"]);
    const [title, summary] = found.results;
    expect(marked(title?.title)).toBe("Small [Hinges]");
    // no match in the text: the page from its beginning
    expect(title?.path).toBe("/premium/chapters/stretch-4?q=hinge");
    expect(marked(title?.passage)).toBe("A part of the way.");
    expect(marked(summary?.passage)).toBe("On [hinges].");
  });

  it("shows texts with the word itself before those with its other forms", async () => {
    const edition = await take(
      [{}, "She walked. She walked on. Nobody walks as she walked."],
      [{}, `${"A door and a window, and much else that fills a page. ".repeat(50)} Walking.`],
      [{ title: "Walks" }, "A door."],
      [{ title: "Walking" }, "A door."],
    );
    const order = ["Walking", "Walks", "Stretch 2", "Stretch 1"];
    expect(titles(await search(edition, "walking"))).toEqual(order);
    expect(titles(await search(edition, "walked"))[2]).toBe("Stretch 1");
  });

  it("finds the words of an edition that another release has indexed", async () => {
    const edition = await take([{}, "A café."]);
    const { db } = getDatabase();
    await db.execute(sql`update edition_documents set search = to_tsvector('english', 'A café.')`);
    expect((await search(edition, "cafe")).total).toBe(0);
    expect(await loadEdition(edition.digest)).not.toBeNull();
    expect((await search(edition, "cafe")).total).toBe(1);
  });

  it("links to the paragraph with all of the words, or else to that with the most", async () => {
    const edition = await take([
      {},
      "A kettle.\n\nA stool and a stool.\n\nThe stool beside the kettle.\n\nThe window.",
    ]);
    const place = async (words: string) =>
      (await search(edition, words)).results[0]?.path.split("#")[1];
    expect(await place("kettle stool")).toBe("p3");
    expect(await place("stool")).toBe("p2");
    expect(await place("window stool kettle")).toBe("p3");
    expect(await place('"beside the kettle"')).toBe("p3");
  });

  it("shortens a long paragraph around the words", async () => {
    const filler = "The road goes on and on between the fields. ".repeat(40);
    const edition = await take([{}, `${filler}Then a lantern swung. ${filler}`]);
    const { results } = await search(edition, "lantern");
    expect(marked(results[0]?.passage)).toContain("Then a [lantern] swung. The road");
    expect(plain(results[0]?.passage ?? []).length).toBeLessThan(320);
    expect(results[0]?.isCut).toEqual({ before: true, after: true });
  });

  it("finds extras too, labeled as such", async () => {
    const edition = await takeEdition({
      "chapters/01-gates.md": editionText({ title: "Gates", summary: "S.", order: 1 }),
      "extras/one-drawer.md": editionText(
        { title: "One Drawer", summary: "S.", order: 1, kind: "practice" },
        "Empty a drawer.",
      ),
    });
    const { results } = await search(edition, "drawer");
    expect(results[0]?.label).toBe("Practice");
    expect(await openResult(results[0])).toBe('<p id="p1">Empty a <mark>drawer</mark>.</p>');
  });

  it("finds no unpublished text, nor one of another edition", async () => {
    await take([{}, "A lantern of the edition before."]);
    const edition = await take(
      [{}, "A lantern."],
      [{ publish: "2030-01-01", title: "Lantern" }, "A lantern."],
    );
    expect(await search(edition, "lantern")).toMatchObject({ total: 1 });
    expect(titles(await search(edition, "lantern"))).toEqual(["Stretch 1"]);
    const then = { now: new Date("2030-01-02") };
    expect(titles(await search(edition, "lantern", then))).toEqual(["Lantern", "Stretch 1"]);
  });

  it("has pages of twenty, and shows the first for a page that does not exist", async () => {
    const edition = await take(...Array<[object, string]>(45).fill([{}, "A lantern."]));
    const pageOf = (page: number) => search(edition, "lantern", { page });
    const pages = await Promise.all([1, 2, 3, 4].map(pageOf));
    expect(pages.map(({ results }) => results.length)).toEqual([20, 20, 5, 20]);
    expect(pages.map(({ page }) => page)).toEqual([1, 2, 3, 1]);
    expect(pages[0]).toMatchObject({ total: 45, pages: 3 });
    const paths = pages.slice(0, 3).flatMap(({ results }) => results.map(({ path }) => path));
    expect(new Set(paths).size).toBe(45);
  });

  it.each([
    ["spaces", " \n\t "],
    ["only words that are in every text", "the of and"],
    ["only an exclusion", "-lantern"],
    ["punctuation", "!&|():*<->'\"\\"],
    ["a NUL, half a character and its own marks", "\0\ud800\ufdd0\ufdd1"],
    ["a line of hyphens and spaces", "- ".repeat(100)],
  ])("for %s finds nothing", async (_name, words) => {
    const edition = await take([{}, "A lantern."]);
    expect(await search(edition, words)).toMatchObject({ total: 0, results: [] });
  });

  it.each([
    ["operators of PostgreSQL", "lantern & | ! <-> :* ( )"],
    ["a NUL and half a character", "lan\0tern or \udfff lantern"],
    ["a statement", "lantern'; drop table edition_documents; --"],
    ["a line of hyphens", `lantern ${"-".repeat(190)}`],
    ["64 KB", `lantern ${"or x".repeat(16_000)}`],
  ])("treats %s as words", async (_name, words) => {
    const edition = await take([{}, "A lantern: drop the table of editions and documents."]);
    const { query } = await search(edition, words);
    expect(query.length).toBeLessThanOrEqual(200);
    expect((await search(edition, "lantern")).total).toBe(1);
  });

  it.each(
    [
      "\u0301",
      "😀",
      "👩\u200d👩",
      "\\",
      "'",
      '"',
      "-",
      '-"',
      "-a",
      "&!",
      "中",
      "-中",
      '"中文',
      "ﷺ",
      "㍿",
      "\ud800",
      "\0",
      "þ",
      "x:*",
      "()",
      "<->",
    ].map((part) => [part, part.repeat(400).slice(0, 400)]),
  )("takes 400 characters of %j without an error", async (_part, words) => {
    const edition = await take([{}, "A lantern."]);
    expect((await search(edition, words)).total).toBe(0);
    expect((await search(edition, `${words.slice(0, 150)}" or lantern`)).total).toBeLessThan(2);
  });

  it("does not treat a dash between words as an exclusion", async () => {
    const edition = await take([{}, "The lantern swung by the window."]);
    for (const words of ["lantern - window", "lantern -- window", "lantern --window"])
      expect((await search(edition, words)).total, words).toBe(1);
    expect((await search(edition, 'lantern -"the window"')).total).toBe(0);
  });

  it("never fails, whatever the query", async () => {
    const edition = await take([{}, "A lantern."]);
    const part = fc.constantFrom(
      ...[
        "-",
        " ",
        '"',
        "or ",
        "a",
        "the ",
        "1",
        "lantern",
        "\0",
        "'",
        "ü",
        "\u0301",
        "中",
        "ن",
        "’",
      ],
    );
    const repeated = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 200 }))
      .map(([parts, times]) => parts.join("").repeat(times));
    await fc.assert(
      fc.asyncProperty(fc.array(repeated, { maxLength: 3 }), async (parts) => {
        await search(edition, parts.join(""));
      }),
    );
  });
});

describe("the marks in a text", () => {
  it("surround the words found, in any form and in every kind of text", async () => {
    const html = '<p id="p1">He <em>walked</em> “home”.</p><h2 id="p2">A walk</h2>';
    expect(await markMatches(html, "walking home")).toBe(
      '<p id="p1">He <em><mark>walked</mark></em> “<mark>home</mark>”.</p><h2 id="p2">A <mark>walk</mark></h2>',
    );
  });

  it("are never in tags, attributes or character references", async () => {
    const html =
      '<p id="p1"><a class="footnote-ref" href="/premium/chapters/path" title="a > path">path</a> AT&#x26;T &#x3C;path> <img src="/premium/media/path.png" alt="path > path" width="1" height="1"></p>';
    expect(await markMatches(html, "path class amp x26 3C href img alt png premium mark")).toBe(
      html
        .replace(">path</a>", "><mark>path</mark></a>")
        .replace("&#x3C;path>", "&#x3C;<mark>path</mark>>"),
    );
  });

  it("are at their places in a long text too, and leave other requests their turn", async () => {
    const paragraph = `<p>${"中文。é — ".repeat(500)}<em>Straße</em></p>`;
    const html = paragraph.repeat(100);
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    const result = await markMatches(html, "strasse");
    clearInterval(counter);
    expect(result).toBe(html.replaceAll("Straße", "<mark>Straße</mark>"));
    expect(turns).toBeGreaterThan(2);
  });

  it("leave a text unchanged if nothing matches", async () => {
    const html = "<p>A \ufdd0lantern\ufdd1 &#x26; a <em>stool</em>.</p>";
    for (const words of ["", "the", "\0", "kettle", "-lantern", "<script>", "😀"]) {
      expect(await markMatches(html, words), words).toBe(html);
    }
    expect(await markMatches(html, "lantern")).toBe(
      html.replace("lantern", "<mark>lantern</mark>"),
    );
  });

  it("only add marks, whatever the query", async () => {
    const edition = await take([
      {},
      'He *said* "go" & `x < y`.\n\n> A quote[^1].\n\n[^1]: A note, <!-- no --> on a path.\n\n| a | b |\n| - | - |\n| path | 2 |',
    ]);
    const html = (await findDocumentHtml(edition.digest, "stretch-1")) ?? "";
    for (const words of ["path note said x y", "<b onclick=alert(1)>quote</b>", "p id class 1 2"]) {
      const result = await markMatches(html, words);
      expect(result.replace(/<\/?mark>/g, "")).toBe(html);
      expect(result).toContain("<mark>");
    }
  });
});

describe("the page of a search", () => {
  it("shows the results, by its address alone", async () => {
    await take([{}, "A lantern."], [{}, "A stool."]);
    const cookie = await signIn(tomorrow());
    const read = async (search: string): Promise<SearchView> =>
      (await (await get(loader, `/premium/search${search}`, cookie)).json()).search;
    expect(await read("")).toMatchObject({ query: "", total: 0 });
    expect(await read("?q=lantern")).toMatchObject({ query: "lantern", total: 1, page: 1 });
    for (const page of ["0", "-1", "2", "1e9", "99999999999", "x", "1.5", "%00"]) {
      expect(await read(`?q=lantern&page=${page}`), page).toMatchObject({ total: 1, page: 1 });
    }
    expect(await read("?q=stool&q=lantern")).toMatchObject({ query: "stool" });
  });
});
