import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { loadPreviewContent } from "~/features/landing/preview-content.server";
import { clearCurrentEdition, setCurrentEdition } from "~/features/library/current-edition.server";
import { Edition } from "~/features/library/edition";
import type { PreviewView } from "~/features/library/preview.server";
import { onPublishedTextsChanged } from "~/features/library/published-texts.server";
import { currentSite } from "~/features/site/current-site.server";
import { pageSite } from "~/features/site/page-site.server";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { loader as loadLanding } from "~/routes/_index/route";
import { loader as loadPreviewRoute, meta } from "~/routes/preview_.$slug/route";
import { getDatabase } from "~db/client";
import { type EditionFiles, editionText, SMALL_EDITION, takeEdition } from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { signIn } from "../support/payments";
import { get } from "../support/routes";
import { testSite } from "../support/site";

testSite();
afterEach(async () => {
  clearCurrentEdition();
  await getDatabase().db.execute(sql`truncate editions, users cascade`);
});

const open = (slug: string, cookie?: string) =>
  get(loadPreviewRoute, `/preview/${slug}`, cookie, { slug });

const read = async (slug: string, cookie?: string) =>
  ((await (await open(slug, cookie)).json()) as { preview: PreviewView }).preview;

const tomorrow = () => new Date(Date.now() + 86_400_000);

describe("a text's preview", () => {
  it("has all of a public chapter, for everybody", async () => {
    await takeEdition(SMALL_EDITION);
    const preview = await read("gates");
    expect(preview).toMatchObject({ label: "Chapter 1", title: "Gates", summary: "How to begin." });
    expect(preview.html).toContain("Open one gate.");
    // the link to the next chapter is for members
    expect(preview.next).toBeNull();
    expect(await read("gates", await signIn(null))).toEqual(preview);
  });

  it.each(["hills", "one-drawer", "later", "02-hills", "nowhere", "", "Gates", "gates.md"])(
    "is not found at %j, also for members",
    async (slug) => {
      await takeEdition(SMALL_EDITION);
      expect((await open(slug)).status).toBe(404);
      const cookie = await signIn(tomorrow());
      expect((await open(slug, cookie)).status).toBe(404);
    },
  );

  it.each(["%00", "\0", "gates\0", "../premium/chapters/hills", "a".repeat(65_000), "__proto__"])(
    "is not found at odd addresses (%#)",
    async (slug) => {
      await takeEdition(SMALL_EDITION);
      const answer = await open(slug);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toBe("");
    },
  );

  it("is not found before it is published, nor once it is no longer public", async () => {
    const gates = (fields: Record<string, string | boolean>): EditionFiles => ({
      ...SMALL_EDITION,
      "chapters/01-gates.md": editionText({ title: "Gates", summary: "S.", order: 1, ...fields }),
    });
    await takeEdition(gates({ public: true, publish: "2999-01-01" }));
    expect((await open("gates")).status).toBe(404);
    await takeEdition(gates({ public: true }));
    expect((await open("gates")).status).toBe(200);
    await takeEdition(gates({ public: false }));
    expect((await open("gates")).status).toBe(404);
  });

  it("has its images and its links to public texts at public addresses", async () => {
    await takeEdition({
      ...SMALL_EDITION,
      "chapters/pixel.png": PNG_PIXEL,
      "chapters/01-gates.md": editionText(
        { title: "Gates", summary: "S.", order: 1, public: true },
        '![A "gate" > src="/premium/media/](pixel.png)\n\nSee [hills](02-hills.md), [walls](04-walls.md) and `src="/premium/media/`.',
      ),
      "chapters/04-walls.md": editionText({
        title: "Walls",
        summary: "S.",
        order: 4,
        public: true,
      }),
    });
    const { html } = await read("gates");
    expect(html).toMatch(/<img [^>]*src="\/preview\/media\/[\w-]+\.png"/);
    expect(html).toContain('<a href="/preview/walls">');
    expect(html).toContain('<a href="/premium/chapters/hills">');
    // plain words are unchanged
    expect(html).toContain('src="/premium/media/</code>');
    expect(html.match(/\/premium\/media\//g)).toHaveLength(2);
  });

  it("marks a chapter as a free part of the book for search engines", async () => {
    await takeEdition(SMALL_EDITION);
    const data = { preview: await read("gates") };
    const matches = [
      { id: "root", data: { publicUrl: "https://book.example", site: pageSite(SAMPLE_SITE) } },
    ];
    const tags = meta({ data, matches } as unknown as Parameters<typeof meta>[0]);
    expect(tags).toContainEqual({
      "script:ld+json": expect.objectContaining({
        "@type": "Chapter",
        "@id": "https://book.example/preview/gates",
        name: "Gates",
        position: 1,
        isPartOf: { "@id": "https://book.example/#book" },
        isAccessibleForFree: true,
      }),
    });
    expect(tags).toContainEqual({
      property: "og:url",
      content: "https://book.example/preview/gates",
    });
  });
});

describe("the landing page", () => {
  const landing = async () => (await loadPreviewContent(currentSite(), new Date())).preview;
  const shownHtml = async () => {
    const { sections } = await (await get(loadLanding)).json();
    return (sections as { html: string }).html;
  };

  const chapterOne = (body: string, fields: Record<string, string | boolean> = { public: true }) =>
    takeEdition({
      "chapters/01-gates.md": editionText(
        { title: "Gates", summary: "S.", order: 1, ...fields },
        body,
      ),
    });
  const paragraphs = (count: number) =>
    Array.from({ length: count }, (_, index) => `Paragraph ${index + 1}.`);

  it("begins like the edition's chapter 1, and links to the rest if that is public", async () => {
    await chapterOne(paragraphs(7).join("\n\n"));
    expect(await landing()).toEqual({
      opening: { label: "Chapter 1", title: "Gates", paragraphs: paragraphs(5) },
      wholeChapter: { name: "chapter 1", path: "/preview/gates" },
    });
    expect(await shownHtml()).toMatch(/Gates.*Paragraph 1\..*Paragraph 5\..*"\/preview\/gates"/s);
    expect(await shownHtml()).not.toContain("Paragraph 6.");
    await chapterOne(paragraphs(12).join("\n\n"), {});
    expect(await landing()).toEqual({
      opening: { label: "Chapter 1", title: "Gates", paragraphs: paragraphs(5) },
      wholeChapter: null,
    });
    expect(await shownHtml()).not.toContain("/preview/gates");
  });

  it("shows at most half of a chapter for members", async () => {
    await chapterOne(paragraphs(5).join("\n\n"), {});
    expect((await landing()).opening?.paragraphs).toEqual(paragraphs(2));
  });

  it("shows its own words without an edition, before chapter 1 is published, and if it cannot be read", async () => {
    const shipped = {
      label: "Chapter 1",
      title: "The Hour Before the Day",
      paragraphs: expect.any(Array),
    };
    expect(await landing()).toEqual({ opening: shipped, wholeChapter: null });
    await takeEdition({
      ...SMALL_EDITION,
      "chapters/01-gates.md": editionText({
        title: "Gates",
        summary: "S.",
        order: 1,
        publish: "2999-01-01",
      }),
    });
    expect((await landing()).opening).toEqual(shipped);
    await takeEdition(SMALL_EDITION);
    await getDatabase().db.execute(sql`alter table edition_documents rename to away`);
    try {
      expect((await landing()).opening).toEqual(shipped);
      expect((await get(loadLanding)).headers.get("Cache-Control")).toBe("private, no-store");
    } finally {
      await getDatabase().db.execute(sql`alter table away rename to edition_documents`);
    }
    expect((await landing()).opening?.title).toBe("Gates");
    expect((await get(loadLanding)).headers.get("Cache-Control")).toBeNull();
  });
});

describe("the published texts", () => {
  const editionWith = (publishAt: Date | null) =>
    new Edition(
      "e",
      [
        {
          kind: "chapter",
          slug: "gates",
          id: "gates",
          position: 1,
          number: 1,
          label: null,
          part: null,
          title: "Gates",
          summary: "S.",
          publishAt,
          extraKind: null,
          sound: null,
          isPublic: true,
          language: "en",
          dir: "ltr",
          wordCount: 1,
          blockCount: 1,
        },
      ],
      SAMPLE_SITE,
    );

  it("change with each edition, and at each text's publication time", async () => {
    const publishAt = new Date(Date.now() + 300);
    const times: Date[] = [];
    const stop = onPublishedTextsChanged(() => {
      times.push(new Date());
    });
    setCurrentEdition(editionWith(publishAt));
    expect(times).toHaveLength(1);
    await expect.poll(() => times.length).toBe(2);
    expect(times[1]?.getTime()).toBeGreaterThanOrEqual(publishAt.getTime());
    stop();
    setCurrentEdition(editionWith(null));
    expect(times).toHaveLength(2);
  });
});
