import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { Viewer } from "~/features/accounts/viewer";
import type { Edition } from "~/features/library/edition";
import { listHighlights } from "~/features/library/highlights/list-highlights.server";
import { loadNewHighlight } from "~/features/library/highlights/load-highlight.server";
import { loadReading } from "~/features/library/load-reading.server";
import { action as keep } from "~/routes/auth_.unsaved/route";
import { action } from "~/routes/premium_.highlights_.save/route";
import { loader as csvFile } from "~/routes/premium_.highlights[.]csv/route";
import { loader as markdownFile } from "~/routes/premium_.notes[.]md/route";
import { getDatabase } from "~db/client";
import { findStoredTexts } from "~db/queries/editions";
import { highlights } from "~db/schema";
import { editionText, takeEdition } from "../support/library";
import { newReaderUntil, type Reader } from "../support/payments";
import { flashOf, get, post } from "../support/routes";
import { testSite } from "../support/site";

testSite();

const inADay = () => new Date(Date.now() + 86_400_000);
const SLUG = "gates";

const LAKE = "We walked around the lake before the others were awake.";
const OAR = "Nobody had counted the *oars* since spring[^1], and it showed.";
const MORE = "On the far side a dog barked twice and thought better of it.";
const FOOTNOTE = "[^1]: There are nine & a half.";

const take = (...paragraphs: string[]) =>
  takeEdition({
    "chapters/01-gates.md": editionText(
      { title: "Gates", summary: "How to begin.", order: 1 },
      // with a line break in a sentence
      [...paragraphs, paragraphs.includes(OAR) ? FOOTNOTE : ""]
        .join("\n\n")
        .replace("lake before", "lake\nbefore"),
    ),
  });

const read = async ({ id }: Reader, edition: Edition, search: string | null = null) => {
  const viewer = { user: { id } } as Viewer;
  const found = await loadReading({ viewer, edition }, { kind: "chapter", slug: SLUG, search });
  if (!found) throw new Error("There is no such text.");
  return found;
};

/** Each `<mark>`'s text, and a text without marks and links. */
const marksIn = (html: string) =>
  [...html.matchAll(/<mark id="hl-[^>]*>(.*?)<\/mark>/gs)].map(([, text]) =>
    text?.replace("\n", " "),
  );
const unmarked = (html: string) =>
  html.replace(/<\/?mark[^>]*>|<a [^>]*class="highlight-link"[^>]*><\/a>/g, "");

/** Highlights the sentences from the one with these words to the one with those. */
async function add(reader: Reader, edition: Edition, first: string, last: string, fields = {}) {
  const chosen: string[] = [];
  let renderKey = "";
  for (const block of [1, 2, 3]) {
    const page = await loadNewHighlight(edition, { slug: SLUG, block });
    if (!page) continue;
    renderKey = page.renderKey;
    for (const { start, end, text } of page.sentences)
      if (text.includes(first) || text.includes(last)) chosen.push(`${start}-${end}`);
  }
  const json = { intent: "add", slug: SLUG, renderKey, color: 2, ...fields };
  const ends = chosen.flatMap((range) => range.split("-").map(Number));
  const passage = `${Math.min(...ends)}-${Math.max(...ends)}`;
  const response = await post(action, { json: { ...json, passage }, cookie: reader.cookie });
  expect(response.status).toBe(200);
  return String((await response.json()).id);
}

const list = ({ id: userId }: Reader, edition: Edition, words = "", page = 1) =>
  listHighlights({ userId, edition }, { words, page, now: new Date() });

describe("highlights", () => {
  it("are marks over elements and paragraphs, with links outside of links, and change nothing else", async () => {
    const edition = await take(LAKE, OAR, MORE);
    const [reader, other] = [await newReaderUntil(inADay()), await newReaderUntil(inADay())];
    const id = await add(reader, edition, "We walked", "Nobody had", { note: "Nine!" });
    await add(reader, edition, "There are nine", "There are nine", { color: 4 });
    const { html, highlights: found } = await read(reader, edition, "lake");
    expect(found.noted).toEqual([
      { id, quote: `${LAKE}\n${OAR.replace(/\*|\[\^1\]/g, "")}`, color: 2, note: "Nine!" },
    ]);
    expect(html).toContain('since spring</mark><a href="#fn-1"');
    expect(html).toContain(">There are nine &#x26; a half.</mark><a href=");
    expect(html).toContain('<mark id="hit-1">lake</mark></mark>');
    const [stored] = await findStoredTexts(edition.digest, [SLUG]);
    expect(unmarked(html)).toBe(stored?.html);
    expect(marksIn((await read(other, edition)).html)).toEqual([]);
    await post(action, { form: { intent: "delete", id }, cookie: other.cookie });
    expect((await list(reader, edition)).total).toBe(2);
  });

  it("are found again in a new edition, or listed with their words until these return", async () => {
    const before = await take(LAKE, OAR, MORE);
    const reader = await newReaderUntil(inADay());
    await add(reader, before, "We walked", "We walked");
    await add(reader, before, "On the far", "On the far", { note: "A dog." });
    const without = await take("Earlier, it had rained.", OAR, LAKE.replace("walked", "walkd"));
    // the list looks for them too
    const [text] = (await list(reader, without)).texts;
    expect(text?.highlights.map(({ quote, path }) => [quote, path !== null])).toEqual([
      [LAKE.replace("walked", "walkd"), true],
      [MORE, false],
    ]);
    const { html, highlights: found } = await read(reader, without);
    expect(marksIn(html)).toEqual([LAKE.replace("walked", "walkd")]);
    expect(found.lost).toMatchObject([{ quote: MORE, note: "A dog." }]);
    const again = await read(reader, await take(LAKE, MORE));
    expect(marksIn(again.html)).toEqual([LAKE, MORE]);
    expect(again.highlights.lost).toEqual([]);
  });

  it("are searched without accents, paged, changed and deleted", async () => {
    const edition = await take(LAKE, OAR, MORE);
    const reader = await newReaderUntil(inADay());
    const id = await add(reader, edition, "We walked", "We walked", { note: "Á café\r\nby" });
    await add(reader, edition, "On the far", "On the far");
    expect((await list(reader, edition, "cafe LAKE")).texts[0]?.highlights).toMatchObject([{ id }]);
    expect((await list(reader, edition, "cafe dog")).total).toBe(0);
    // the same words again: no second highlight
    expect(await add(reader, edition, "We walked", "We walked", { color: 3 })).toBe(id);
    expect((await list(reader, edition, "", 7)).texts[0]?.highlights).toMatchObject([
      { id, color: 3, note: "Á café\nby" },
      { quote: MORE },
    ]);
    const { cookie } = reader;
    const changed = await post(action, {
      form: { intent: "change", id, color: "1", note: "" },
      cookie,
    });
    expect(changed.headers.get("Location")).toBe(`/premium/chapters/gates#hl-${id}`);
    const gone = await post(action, {
      form: { intent: "delete", id, redirectTo: "/premium/highlights?q=a" },
      cookie,
    });
    expect(gone.headers.get("Location")).toBe("/premium/highlights?q=a");
    expect(await flashOf(gone)).toMatchObject({ toast: { title: "Highlight deleted" } });
    expect((await list(reader, edition)).total).toBe(1);
  });

  it.each([
    ["nothing chosen", { passage: [] }, 422],
    ["no such color", { color: "5" }, 422],
    ["a text that has changed", { renderKey: "older" }, 409],
    ["no such text", { slug: "hills" }, 409],
    ["a passage without words", { passage: "900000-900009" }, 422],
    ["a note that is too long", { note: "n".repeat(5_001) }, 422],
  ])("with %s are refused with a sentence", async (_what, wrong, status) => {
    const edition = await take(LAKE, OAR);
    const { cookie } = await newReaderUntil(inADay());
    const page = await loadNewHighlight(edition, { slug: SLUG, block: 1 });
    const right = { renderKey: page?.renderKey, slug: SLUG, passage: "0-9", color: "1", note: "" };
    const json = { intent: "add", ...right, ...wrong };
    const response = await post(action, { json, cookie });
    expect(response.status).toBe(status);
    expect((await response.json()).error).toMatch(/\.$/);
    expect((await post(action, { json: { intent: "add", ...right }, cookie })).status).toBe(200);
  });

  it("posted as a form after the session has ended are kept with their note", async () => {
    const edition = await take(LAKE, OAR, MORE);
    const reader = await newReaderUntil(inADay());
    const id = await add(reader, edition, "We walked", "We walked");
    const change = { intent: "change", id, color: "3", note: "Typed for an hour." };
    expect((await post(action, { json: change })).status).toBe(401);
    const kept = await post(action, { form: change });
    expect(kept.status).toBe(307);
    const path = String(kept.headers.get("Location"));
    const page = await (await post(keep, { path, form: change })).json();
    expect(page.fields).toEqual(Object.entries(change));
    // as after logging in there, which the tests of notes do
    const saved = await post(action, { form: change, cookie: reader.cookie });
    expect(saved.headers.get("Location")).toBe(`/premium/chapters/gates#hl-${id}`);
    const note = { note: "Typed for an hour.", color: 3 };
    expect((await read(reader, edition)).highlights.noted).toMatchObject([note]);
    // nowhere else may a kept form be posted
    const foreign = { path: "/auth/unsaved?to=https://evil.example", form: change };
    expect((await post(keep, foreign)).status).toBe(400);
  });

  it("are no more than 10,000, and none after the membership", async () => {
    const edition = await take(LAKE, OAR, MORE);
    const { cookie, id: userId } = await newReaderUntil(inADay());
    const [text] = await findStoredTexts(edition.digest, [SLUG]);
    const rows = Array.from({ length: 10_000 }, (_, n) => ({
      ...{
        userId,
        slug: SLUG,
        title: "Gates",
        quote: "the",
        prefix: "",
        suffix: "",
        start: n % 99,
      },
      ...{ color: 1, searched: "the", renderKey: text?.renderKey ?? "" },
    }));
    for (let at = 0; at < rows.length; at += 2_000) {
      await getDatabase()
        .db.insert(highlights)
        .values(rows.slice(at, at + 2_000));
    }
    const json = {
      intent: "add",
      slug: SLUG,
      renderKey: text?.renderKey,
      passage: "0-9",
      color: 1,
    };
    const full = await post(action, { json, cookie });
    expect([full.status, (await full.json()).error]).toEqual([
      422,
      "You have 10,000 highlights, the most we can keep. Delete some to add more.",
    ]);
    const ended = await newReaderUntil(new Date(0));
    expect((await post(action, { json, cookie: ended.cookie })).status).toBe(403);
  });

  it("are in the notes' file, and in a CSV file that Readwise imports", async () => {
    const edition = await take(LAKE, OAR, MORE);
    const reader = await newReaderUntil(inADay());
    const id = await add(reader, edition, "We walked", "Nobody had", { note: 'A "note",\nlong' });
    const markdown = await (await get(markdownFile, "/premium/notes.md", reader.cookie)).text();
    expect(markdown).toContain(`\n## Chapter 1: Gates\n\n*`);
    expect(markdown).toContain(`\n> ${LAKE}\n>\n> Nobody had`);
    const csv = await (await get(csvFile, "/premium/highlights.csv", reader.cookie)).text();
    expect(parse(csv, { columns: true })).toEqual([
      {
        Highlight: expect.stringMatching(/^We walked .*\nNobody /),
        Title: "The Golden Path",
        Author: expect.any(String),
        URL: expect.stringMatching(new RegExp(`/premium/chapters/gates#hl-${id}$`)),
        Note: 'A "note",\nlong',
        Location: "1000000",
        Date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
    ]);
  });
});
