import { eq } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clearCurrentEdition, setCurrentEdition } from "~/features/library/current-edition.server";
import { Edition, type EditionEntry } from "~/features/library/edition";
import { loadLibraryOverview } from "~/features/library/library-overview.server";
import { loadReadingState } from "~/features/library/reading-progress.server";
import { progressIn } from "~/features/library/reading-state";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { action } from "~/routes/premium_.progress/route";
import { getDatabase } from "~db/client";
import { updateProfile } from "~db/queries/profiles";
import { readingProgress } from "~db/schema";
import { newReaderUntil, type Reader } from "../support/payments";
import { flashOf, post } from "../support/routes";
import { testSite } from "../support/site";

const DAY_MS = 24 * 60 * 60 * 1000;

const chapter = (position: number, entry: Partial<EditionEntry> = {}): EditionEntry => ({
  kind: "chapter",
  slug: `chapter-${position}`,
  id: entry.slug ?? `chapter-${position}`,
  position,
  number: position,
  label: null,
  part: null,
  title: `Chapter the ${position}.`,
  summary: "",
  publishAt: null,
  extraKind: null,
  sound: null,
  isPublic: false,
  language: "en",
  dir: "ltr",
  // the site assumes 230 words a minute
  wordCount: 2_300,
  blockCount: 20,
  ...entry,
});

const extra = (position: number, entry: Partial<EditionEntry> = {}) =>
  chapter(position, { kind: "extra", slug: `extra-${position}`, extraKind: "practice", ...entry });

const edition = new Edition(
  "abc",
  [
    ...[1, 2, 3, 4].map((position) => chapter(position)),
    chapter(5, { slug: "constructor" }),
    chapter(6, { publishAt: new Date(Date.now() + DAY_MS) }),
    extra(1),
    extra(2, { extraKind: "audio-walk", publishAt: new Date(Date.now() - 2 * DAY_MS) }),
    extra(3, { publishAt: new Date(Date.now() - DAY_MS) }),
    extra(4, { publishAt: new Date(Date.now() + DAY_MS) }),
    extra(5),
  ],
  SAMPLE_SITE,
);

testSite();
let member: Reader;

beforeAll(async () => {
  member = await newReaderUntil(new Date(Date.now() + DAY_MS));
});
beforeEach(async () => {
  setCurrentEdition(edition);
  await getDatabase().db.delete(readingProgress);
});
afterEach(() => {
  clearCurrentEdition();
});

const send = (json: Record<string, unknown>, cookie = member.cookie) =>
  post(action, { path: "/premium/progress", json, cookie });
const submit = (form: Record<string, string>, cookie = member.cookie) =>
  post(action, { path: "/premium/progress", form, cookie });
const keep = (slug: string, block: number) => send({ slug, action: "position", block });

const rowsOf = ({ id }: { id: string }) =>
  getDatabase().db.select().from(readingProgress).where(eq(readingProgress.userId, id));
const rowOf = async (slug: string) => (await rowsOf(member)).find((row) => row.slug === slug);
const stateOf = ({ id }: { id: string }, read = edition) => loadReadingState(id, read);
const progressOf = async (slug: string) => progressIn(await stateOf(member), slug);
const overview = (read = edition) => loadLibraryOverview(member.id, read);

describe("marking a text as read", () => {
  it("by form leads back to the end of the text, with a toast", async () => {
    const read = await submit({ slug: "chapter-2", action: "read" });
    expect(read.status).toBe(303);
    expect(read.headers.get("Location")).toBe("/premium/chapters/chapter-2#mark-as-read");
    expect(await flashOf(read)).toMatchObject({ toast: { title: "Marked as read" } });
    expect((await progressOf("chapter-2")).isRead).toBe(true);

    const unread = await submit({ slug: "chapter-2", action: "unread" });
    expect(unread.status).toBe(303);
    expect(await flashOf(unread)).toMatchObject({ toast: { title: "Marked as unread" } });
    expect((await progressOf("chapter-2")).isRead).toBe(false);
  });

  it("a second time keeps the first date", async () => {
    await send({ slug: "chapter-1", action: "read" });
    const first = await rowOf("chapter-1");
    await send({ slug: "chapter-1", action: "read" });
    expect(await rowOf("chapter-1")).toEqual(first);
  });

  it("forgets the position once the mark is removed, since the text is to be read again", async () => {
    await keep("chapter-1", 11);
    await send({ slug: "chapter-1", action: "read" });
    const read = { isRead: true, stoppedAt: null, minutesLeft: null };
    expect(await progressOf("chapter-1")).toEqual(read);
    await send({ slug: "chapter-1", action: "unread" });
    const unread = { isRead: false, stoppedAt: null, minutesLeft: null };
    expect(await progressOf("chapter-1")).toEqual(unread);
    expect((await overview()).wayOn).toMatchObject({ kind: "first", minutes: 10 });
  });
});

describe("a position", () => {
  it("is one of ten that are sent at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => keep("chapter-1", index + 5)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const rows = await rowsOf(member);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.block).toBeGreaterThanOrEqual(5);
  });

  it("past the end of the text is its last block", async () => {
    await keep("chapter-1", 2_000_000_000);
    expect((await rowOf("chapter-1"))?.block).toBe(20);
  });

  it("is private", async () => {
    await keep("chapter-1", 9);
    const other = await newReaderUntil(new Date(Date.now() + DAY_MS));
    expect((await stateOf(other)).texts).toEqual({});
  });

  it.each([0, -1, 1.5, "5", [5], null, 1e300, { valueOf: 5 }])("is never %j", async (block) => {
    const answer = await send({ slug: "chapter-1", action: "position", block });
    expect(answer.status).toBe(422);
    expect(await rowsOf(member)).toEqual([]);
  });
});

describe("progress is refused", () => {
  it.each([
    ["an unknown text", "no-such-chapter"],
    ["a chapter that is not published yet", "chapter-6"],
    ["an extra that is not published yet", "extra-4"],
    ["the method of an object", "__proto__"],
    ["64 KB of rubbish", '\0🦊"%00<'.repeat(2_400)],
  ])("for %s", async (_what, slug) => {
    for (const fields of [
      { slug, action: "read" },
      { slug, action: "position", block: 3 },
    ]) {
      const answer = await send(fields);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ toast: { variant: "destructive" } });
    }
    const submitted = await submit({ slug, action: "read" });
    expect(submitted.headers.get("Location")).toBe("/premium/chapters");
    expect(await rowsOf(member)).toEqual([]);
  });

  it.each([
    [{}],
    [{ slug: "chapter-1" }],
    [{ slug: "chapter-1", action: "delete" }],
    [{ slug: ["chapter-1", "chapter-2"], action: "read" }],
    [{ slug: { toString: "chapter-1" }, action: "read" }],
    [{ action: "read" }],
  ])("in a form like %j", async (fields) => {
    expect((await send(fields)).status).toBe(422);
    expect(await rowsOf(member)).toEqual([]);
  });
});

it("progress is refused once the membership has ended, and earlier progress is kept", async () => {
  const leaving = await newReaderUntil(new Date(Date.now() + DAY_MS));
  const keepTheirs = (block: number) =>
    send({ slug: "chapter-1", action: "position", block }, leaving.cookie);
  expect((await keepTheirs(9)).status).toBe(200);
  await updateProfile(leaving.id, { stripeCurrentPeriodEnd: new Date(Date.now() - 1_000) });
  expect((await keepTheirs(12)).status).toBe(403);
  expect(await rowsOf(leaving)).toMatchObject([{ block: 9 }]);
});

describe("the members' area", () => {
  it("links to the block where reading stopped last, in a chapter or an extra", async () => {
    await keep("chapter-2", 11);
    await keep("extra-2", 6);
    expect((await overview()).wayOn).toEqual({
      kind: "stopped",
      path: "/premium/extras/extra-2#p6",
      label: "Audio walk",
      title: "Chapter the 2.",
      minutes: 8,
      soundMinutes: null,
    });
    await keep("chapter-2", 13);
    expect((await overview()).wayOn).toMatchObject({
      kind: "stopped",
      path: "/premium/chapters/chapter-2#p13",
      minutes: 4,
    });
  });

  it.each([
    ["the chapter after the one just finished", ["keep 4", "read 2"], "next chapter-3"],
    ["the next unread one", ["read 3", "read 2"], "next chapter-4"],
    ["where reading has stopped since", ["read 2", "keep 4"], "stopped chapter-4"],
    [
      "where reading stopped, at the end of all",
      ["keep 4", "read constructor"],
      "stopped chapter-4",
    ],
    ["the first unread one, at the end of all", ["read constructor"], "next chapter-1"],
  ])("leads to %s", async (_what, steps, expected) => {
    for (const step of steps) {
      const [action, name = ""] = step.split(" ");
      const slug = name.length > 1 ? name : `chapter-${name}`;
      await (action === "keep" ? keep(slug, 18) : send({ slug, action: "read" }));
    }
    const { wayOn } = await overview();
    expect(`${wayOn?.kind} ${wayOn?.path.split(/[/#]/)[3]}`).toBe(expected);
  });

  it("goes on to the next text, or to the contents after the last, and marks the text as read", async () => {
    for (const [slug, path] of [
      ["chapter-1", "/premium/chapters/chapter-2"],
      ["constructor", "/premium/chapters"],
    ] as const) {
      const answer = await submit({ slug, action: "read-on" });
      expect(answer.headers.get("Location")).toBe(path);
      expect((await progressOf(slug)).isRead).toBe(true);
    }
  });

  it("counts what is read and the time left, without unpublished texts", async () => {
    await keep("chapter-2", 11);
    await send({ slug: "chapter-1", action: "read" });
    await send({ slug: "extra-1", action: "read" });
    const counts = { chapterCount: 5, chaptersRead: 1, minutesLeft: 35 };
    expect(await overview()).toMatchObject(counts);
    for (const slug of ["chapter-2", "chapter-3", "chapter-4", "constructor"]) {
      await send({ slug, action: "read" });
    }
    // and offers nothing more when all is read
    expect(await overview()).toMatchObject({ wayOn: null, chaptersRead: 5, minutesLeft: 0 });
  });

  it("counts a thousand chapters", async () => {
    const chapters = Array.from({ length: 1_000 }, (_, index) => chapter(index + 1));
    const large = new Edition("large", chapters, SAMPLE_SITE);
    const read = { userId: member.id, block: 20, readAt: new Date() };
    await getDatabase()
      .db.insert(readingProgress)
      .values(chapters.slice(0, 700).map(({ slug }) => ({ ...read, slug })));
    expect(await overview(large)).toMatchObject({
      wayOn: { kind: "next", label: "Chapter 701" },
      chapterCount: 1_000,
      chaptersRead: 700,
      minutesLeft: 3_000,
    });
  });
});
