import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { campaignLifetime, createCampaign } from "~/features/newsletter/create-campaign.server";
import { readImage } from "~/features/newsletter/issue-images";
import type { IssueView } from "~/features/newsletter/issues.server";
import type { Issue } from "~/features/newsletter/read-issue.server";
import { loader as loadIssueRoute } from "~/routes/newsletter_.$slug/route";
import { loader as loadArchive } from "~/routes/newsletter_.archive/route";
import { loader as loadFeed } from "~/routes/newsletter_.feed[.]xml/route";
import { loader as loadImage } from "~/routes/newsletter_.images.$name/route";
import { loader as loadSitemap } from "~/routes/sitemap[.]xml/route";
import { getDatabase } from "~db/client";
import { issueOf } from "../support/newsletter";
import { signIn } from "../support/payments";
import { get, ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

/** The header of a PNG of 40 by 30 pixels; nothing here decodes the rest. */
const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000280000001e0802000000", "hex"),
  randomBytes(64),
]);

testSite();
afterEach(async () => {
  await getDatabase().db.execute(sql`truncate mails, campaigns, newsletter_images, users cascade`);
});

function publish(issue: Partial<Issue> = {}, startAt = new Date("2026-11-01T08:00:00Z")) {
  return getDatabase().db.transaction((tx) =>
    createCampaign(
      issueOf(issue),
      { audience: "subscribers", startAt, rate: null, lifetimeMs: campaignLifetime(0, null) },
      tx,
    ),
  );
}

const open = (slug: string, cookie?: string) =>
  get(loadIssueRoute, `/newsletter/${slug}`, cookie, { slug });

const wordsOf = async (answer: Response) =>
  JSON.stringify(((await answer.json()) as { issue: IssueView }).issue.text);

describe("an issue's page", () => {
  it("has its text, for everybody", async () => {
    await publish({ markdown: "Dear *walker*,\n\nsee <!-- not this --> [us](/premium).\n" });
    const answer = await open("the-first-mile");
    expect(await answer.json()).toEqual({
      issue: {
        slug: "the-first-mile",
        subject: "The first mile",
        previewText: "A start.",
        premium: false,
        publishedAt: "2026-11-01T08:00:00.000Z",
        publishedOn: "November 1, 2026",
        isWhole: true,
        text: expect.objectContaining({ type: "root" }),
      },
    });
  });

  it.each(["nowhere", "", "%00", "\0", "The-First-Mile", "../premium", "a".repeat(5_000)])(
    "is not found at %j",
    async (slug) => {
      await publish();
      expect((await open(slug)).status).toBe(404);
    },
  );

  it("is not found before it is sent", async () => {
    await publish({}, new Date(Date.now() + 60_000));
    expect((await open("the-first-mile")).status).toBe(404);
    expect(await (await get(loadArchive)).json()).toEqual({ issues: [] });
  });

  it("shows the beginning of an issue for members, and members the whole", async () => {
    await publish({ premium: true, markdown: "OPEN\n\n<!-- more -->\n\nSECRET\n" });
    const nobody = await wordsOf(await open("the-first-mile"));
    const reader = await wordsOf(await open("the-first-mile", await signIn(null)));
    const former = await wordsOf(
      await open("the-first-mile", await signIn(new Date(Date.now() - 60_000))),
    );
    for (const words of [nobody, reader, former]) {
      expect(words).toContain("OPEN");
      expect(words).not.toContain("SECRET");
    }
    const member = await open("the-first-mile", await signIn(new Date(Date.now() + 60_000)));
    expect(await wordsOf(member)).toContain("SECRET");
  });
});

describe("an issue's image", () => {
  const key = Buffer.alloc(32, 1);
  const image = readImage(PNG, key);
  if (!image) throw new Error("The image cannot be read.");
  const name = image.name;
  const load = (asked: string) =>
    get(loadImage, `/newsletter/images/${asked}`, "", { name: asked });

  it("is on the page with its size, and served to webmail too", async () => {
    await publish({ markdown: `![A lake](/newsletter/images/${name})\n`, images: [image] });
    expect(await wordsOf(await open("the-first-mile"))).toContain(
      JSON.stringify({ alt: "A lake", src: `/newsletter/images/${name}`, width: 40, height: 30 }),
    );
    for (let time = 0; time < 2; time++) {
      const answer = await load(name);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "image/png",
        "cache-control": "public, max-age=31536000, immutable",
      });
    }
  });
});

describe("the archive, the feed and the sitemap", () => {
  const feed = async () => (await get(loadFeed)).text();

  it("list the published issues, the newest first", async () => {
    await publish({ slug: "first", subject: "First" }, new Date("2026-10-01T08:00:00Z"));
    await publish({ slug: "second", subject: "Second" }, new Date("2026-11-01T08:00:00Z"));
    await publish({ slug: "to-come" }, new Date(Date.now() + 60_000));
    const archive = (await (await get(loadArchive)).json()) as { issues: { slug: string }[] };
    expect(archive.issues.map(({ slug }) => slug)).toEqual(["second", "first"]);
    expect([...(await feed()).matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id)).toEqual([
      `${ORIGIN}/newsletter/feed.xml`,
      `${ORIGIN}/newsletter/second`,
      `${ORIGIN}/newsletter/first`,
    ]);
    expect(await (await get(loadSitemap)).text()).toContain(
      [
        `  <url><loc>${ORIGIN}/</loc></url>`,
        `  <url><loc>${ORIGIN}/newsletter/archive</loc><lastmod>2026-11-01T08:00:00.000Z</lastmod></url>`,
        `  <url><loc>${ORIGIN}/newsletter/second</loc><lastmod>2026-11-01T08:00:00.000Z</lastmod></url>`,
        `  <url><loc>${ORIGIN}/newsletter/first</loc><lastmod>2026-10-01T08:00:00.000Z</lastmod></url>`,
      ].join("\n"),
    );
  });

  it("show nothing that is for members", async () => {
    await publish({ premium: true, markdown: "OPEN\n\n<!-- more -->\n\nSECRET\n" });
    expect(await feed()).toContain("OPEN");
    expect(await feed()).not.toContain("SECRET");
    expect(await feed()).toContain("The rest of this letter is for members.");
  });

  it("escape hostile words", async () => {
    await publish({
      subject: "]]><script>alert('s')</script>",
      preview: "<b>&amp;",
      markdown: "]]> </content> <script>alert('t')</script>\u0007 `<i>` [a](/b)\n",
    });
    const xml = await feed();
    // anything outside a CDATA section is markup
    const markup = xml.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, "");
    expect(markup).not.toMatch(/script|\]\]>|<\/?[bi]>/);
    const sections = [...xml.matchAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g)].map(([, text]) => text);
    expect(sections.join("")).not.toMatch(/<script|<[bi]>/);
    expect(sections.join("")).toContain(`<a href="${ORIGIN}/b">a</a>`);
    expect(xml).not.toContain("\u0007");
  });
});
