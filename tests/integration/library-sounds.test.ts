import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { loader as loadFeed } from "~/routes/podcast.$name/route";
import { loader as loadFeedMedia } from "~/routes/podcast.$token.$name/route";
import { action as savePosition } from "~/routes/premium_.listening/route";
import { loader as loadMedia } from "~/routes/premium_.media.$name/route";
import {
  action as changeAddress,
  loader as loadPodcastPage,
} from "~/routes/premium_.podcast/route";
import { loader as loadPreviewMedia } from "~/routes/preview_.media.$name/route";
import { getDatabase } from "~db/client";
import { listReadingProgress } from "~db/queries/reading-progress";
import { profiles, users } from "~db/schema";
import { editionText, takeEdition } from "../support/library";
import { signIn } from "../support/payments";
import { call, flashOf, get, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";
import { silentMp3 } from "../support/sounds";

const SOUND = silentMp3(75);
const OTHER_SOUND = silentMp3(20);

const image = (red: number) =>
  Buffer.concat([
    Buffer.from("89504e470d0a1a0a0000000d49484452000000280000001e0802000000", "hex"),
    Buffer.alloc(64, red),
  ]);
const PUBLIC_IMAGE = image(1);
const MEMBERS_IMAGE = image(2);

const nameOf = (content: Buffer, extension: string) =>
  `${createHash("sha256").update(content).digest("hex").slice(0, 32)}.${extension}`;
const SOUND_NAME = nameOf(SOUND, "mp3");
const PUBLIC_NAME = nameOf(PUBLIC_IMAGE, "png");
const MEMBERS_NAME = nameOf(MEMBERS_IMAGE, "png");

const audioWalk = (fields: { title: string; order: number; publish: string }) =>
  editionText(
    { summary: "A later walk.", kind: "audio-walk", audio: "dated.mp3", ...fields },
    `Words of ${fields.title}.`,
  );

testSite();

beforeAll(async () => {
  await takeEdition({
    "chapters/01-gates.md": editionText(
      { title: "Gates", summary: "How to begin.", order: 1, public: true },
      "A gate.\n\n![A gate](gate.png)",
    ),
    "chapters/gate.png": PUBLIC_IMAGE,
    "extras/mile.md": editionText(
      {
        title: "The Slow Mile & <Back>",
        summary: "A walk & a <rest> ]]>.",
        order: 1,
        kind: "audio-walk",
        audio: "mile.mp3",
      },
      "Begin at [the gate](../chapters/01-gates.md).\n\n![A mile](mile.png)\n\nIt says `]]>`.",
    ),
    "extras/mile.png": MEMBERS_IMAGE,
    "extras/mile.mp3": SOUND,
    "extras/dated.md": audioWalk({ title: "Dated", order: 2, publish: "2026-06-01" }),
    "extras/dated.mp3": OTHER_SOUND,
    "extras/secret.md": audioWalk({ title: "Secret", order: 3, publish: "2999-01-01" }),
  });
});
afterEach(async () => {
  await getDatabase().db.execute(sql`truncate users cascade`);
});

const HOUR_MS = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR_MS);

const setAccess = (until: Date | null) =>
  getDatabase()
    .db.update(profiles)
    .set({ stripePriceId: until && "price_1", stripeCurrentPeriodEnd: until });

const media = (name: string, cookie = "") => get(loadMedia, "/premium/media/x", cookie, { name });

const whatIsSeen = async (answer: Response) => ({
  status: answer.status,
  headers: Object.fromEntries(answer.headers),
  text: await answer.text(),
});

describe("an image or sound of the edition", () => {
  it("is served to members, who revalidate it each time", async () => {
    const cookie = await signIn(inAnHour());
    const answer = await media(SOUND_NAME, cookie);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "content-length": String(SOUND.byteLength),
      "content-type": "audio/mpeg",
      etag: `"${SOUND_NAME}"`,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(SOUND)).toBe(true);
    const picture = await media(MEMBERS_NAME, cookie);
    expect(picture.headers.get("Content-Type")).toBe("image/png");
    await setAccess(new Date(Date.now() - 1));
    expect((await media(SOUND_NAME, cookie)).status).toBe(404);
  });

  it("is the same 404 for everybody else as an unknown name", async () => {
    const member = await signIn(inAnHour());
    const unknown = await whatIsSeen(await media(`${"0".repeat(32)}.mp3`, member));
    expect(unknown.status).toBe(404);
    for (const name of ["", "../session-secret", "\0.mp3", `${"a".repeat(32)}.svg`]) {
      expect(await whatIsSeen(await media(name, member))).toEqual(unknown);
    }
    for (const until of ["nobody", null, new Date(Date.now() - 1)] as const) {
      const cookie = until === "nobody" ? "" : await signIn(until);
      for (const name of [SOUND_NAME, MEMBERS_NAME, PUBLIC_NAME, "nothing"]) {
        expect(await whatIsSeen(await media(name, cookie))).toEqual(unknown);
      }
    }
  });
});

describe("an image at /preview/media/", () => {
  const preview = (name: string) => get(loadPreviewMedia, `/preview/media/${name}`, "", { name });

  it("is served if a public text shows it, not if only members' texts do, and never for a sound", async () => {
    const answer = await preview(PUBLIC_NAME);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=86400");
    expect(Buffer.from(await answer.arrayBuffer()).equals(PUBLIC_IMAGE)).toBe(true);
    expect((await preview(MEMBERS_NAME)).status).toBe(404);
    expect((await preview(SOUND_NAME)).status).toBe(404);
  });
});

describe("a member's podcast", () => {
  const page = async (cookie: string) => {
    const answer = await get(loadPodcastPage, "/premium/podcast", cookie);
    return (await answer.json()) as { address: string | null };
  };
  const change = (cookie: string, intent: string) =>
    post(changeAddress, { path: "/premium/podcast", form: { intent }, cookie });
  const feedAt = (address: string) =>
    call(loadFeed, new Request(address), { name: address.split("/").at(-1) ?? "" });
  const mediaAt = (address: string) => {
    const [name = "", token = ""] = address.split("/").reverse();
    return call(loadFeedMedia, new Request(address), { token, name });
  };
  async function newFeed(): Promise<{ cookie: string; address: string }> {
    const cookie = await signIn(inAnHour());
    await change(cookie, "create");
    const { address } = await page(cookie);
    if (!address) throw new Error("There is no address.");
    return { cookie, address };
  }
  const parsed = (xml: string) => {
    expect(XMLValidator.validate(xml)).toBe(true);
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: "@",
      parseTagValue: false,
      isArray: (name) => name === "item",
    });
    return parser.parse(xml).rss;
  };

  it("has an address once the member has asked for one, and keeps it", async () => {
    const cookie = await signIn(inAnHour());
    expect((await page(cookie)).address).toBeNull();
    const answer = await change(cookie, "create");
    expect(answer.headers.get("Location")).toBe("/premium/podcast");
    expect((await flashOf(answer))?.toast?.title).toBe("🎧 Your podcast address is ready");
    const { address } = await page(cookie);
    // 192 bits
    expect(address).toMatch(/^http:\/\/localhost:3000\/podcast\/[\w-]{32}\.xml$/);
    await change(cookie, "create");
    expect((await page(cookie)).address).toBe(address);
  });

  it("is valid RSS with the elements that podcast apps require", async () => {
    const { address } = await newFeed();
    const token = /podcast\/(.*)\.xml/.exec(address)?.[1];
    const answer = await feedAt(address);
    expect(answer.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
    const xml = await answer.text();
    const rss = parsed(xml);
    expect(rss["@version"]).toBe("2.0");
    const { item: items, ...channel } = rss.channel;
    expect(channel).toMatchObject({
      title: "The Golden Path",
      link: `${ORIGIN}/premium/chapters`,
      language: "en",
      "itunes:author": "Maren Ashdown",
      "itunes:block": "Yes",
      "itunes:explicit": "false",
      "itunes:image": { "@href": `${ORIGIN}/podcast-cover.jpg` },
      "itunes:category": { "@text": "Education" },
      "atom:link": { "@href": address, "@rel": "self" },
    });
    expect(channel.description).toContain("yours alone");
    expect(items.map(({ title }: { title: string }) => title)).toEqual([
      "Dated",
      "The Slow Mile & <Back>",
    ]);
    expect(items[1]).toMatchObject({
      guid: { "#text": `${ORIGIN}/premium/extras/mile`, "@isPermaLink": "false" },
      link: `${ORIGIN}/premium/extras/mile`,
      description: "A walk &amp; a &lt;rest&gt; ]]&gt;.",
      "itunes:duration": "75",
      enclosure: {
        "@url": `${ORIGIN}/podcast/${token}/${SOUND_NAME}`,
        "@type": "audio/mpeg",
        "@length": String(SOUND.byteLength),
      },
    });
    expect(items[0].pubDate).toBe("Mon, 01 Jun 2026 00:00:00 GMT");
    const text = items[1]["content:encoded"];
    expect(text).toContain(`href="${ORIGIN}/premium/chapters/gates"`);
    expect(text).toContain(`src="${ORIGIN}/podcast/${token}/${MEMBERS_NAME}"`);
    expect(xml).not.toContain("Words of Secret");
  });

  it("serves its sounds and images without a session", async () => {
    const { address } = await newFeed();
    const base = address.replace(/\.xml$/, "");
    const sound = await mediaAt(`${base}/${SOUND_NAME}`);
    expect(sound.status).toBe(200);
    expect(Object.fromEntries(sound.headers)).toMatchObject({
      "content-length": String(SOUND.byteLength),
      "referrer-policy": "strict-origin",
      "x-robots-tag": "noindex",
    });
    expect((await mediaAt(`${base}/${MEMBERS_NAME}`)).status).toBe(200);
    expect((await mediaAt(`${base}/nothing.mp3`)).status).toBe(404);
  });

  it("moves to another address as soon as it is renewed", async () => {
    const { cookie, address } = await newFeed();
    const answer = await change(cookie, "renew");
    expect((await flashOf(answer))?.toast?.title).toBe("🎧 New podcast address");
    const renewed = (await page(cookie)).address ?? "";
    expect(renewed).not.toBe(address);
    expect((await feedAt(address)).status).toBe(404);
    expect((await mediaAt(`${address.replace(/\.xml$/, "")}/${SOUND_NAME}`)).status).toBe(404);
    expect(await (await feedAt(renewed)).text()).not.toContain(address.slice(-36, -4));
  });

  it("stops with the membership, like an unknown address, and returns with it", async () => {
    const { address } = await newFeed();
    await setAccess(new Date(Date.now() - 1));
    const ended = await whatIsSeen(await feedAt(address));
    expect(ended.status).toBe(404);
    expect(await whatIsSeen(await feedAt(`${ORIGIN}/podcast/${"x".repeat(32)}.xml`))).toEqual(
      ended,
    );
    expect(await whatIsSeen(await feedAt(`${ORIGIN}/podcast/nothing`))).toEqual(ended);
    const sound = await mediaAt(`${address.replace(/\.xml$/, "")}/${SOUND_NAME}`);
    expect(await whatIsSeen(sound)).toEqual(ended);
    await setAccess(inAnHour());
    expect((await feedAt(address)).status).toBe(200);
  });

  it("limits guesses of addresses, without affecting others", async () => {
    const { address } = await newFeed();
    const guess = async () =>
      loadFeed({
        request: new Request(`${ORIGIN}/podcast/x.xml`),
        params: { name: `${"y".repeat(32)}.xml` },
        context: { clientAddress: "192.0.2.7" },
      } as never);
    // RATE_LIMIT_FACTOR is 1000 in these tests
    await getDatabase().db.execute(
      sql`insert into rate_limits (key, points, expire) values ('podcast:network:192.0.2.7', 100000, now() + interval '1 hour')
        on conflict (key) do update set points = 100000`,
    );
    const answer: Response = await guess().catch((thrown) => thrown);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await feedAt(address)).status).toBe(200);
  });
});

describe("the position in a sound", () => {
  const save = (cookie: string, json: unknown) =>
    post(savePosition, { path: "/premium/listening", json, cookie });
  const saved = async () => {
    const [user] = await getDatabase().db.select({ id: users.id }).from(users);
    const rows = await listReadingProgress(user?.id ?? "");
    return rows.find(({ slug }) => slug === "mile")?.second ?? null;
  };

  it("is stored for members", async () => {
    const cookie = await signIn(inAnHour());
    expect((await save(cookie, { slug: "mile", second: 33.7 })).status).toBe(200);
    expect(await saved()).toBe(33);
    expect((await save(cookie, { slug: "mile", second: 41 })).status).toBe(200);
    expect(await saved()).toBe(41);
  });

  it("is deleted at the beginning and at the end", async () => {
    const cookie = await signIn(inAnHour());
    for (const second of [0, 3, 72, 75, 1e300]) {
      await save(cookie, { slug: "mile", second: 33 });
      expect((await save(cookie, { slug: "mile", second })).status).toBe(200);
      expect(await saved(), `${second}`).toBeNull();
    }
  });

  it.each([
    [{ slug: "mile" }, 422],
    [{ slug: "mile", second: -1 }, 422],
    [{ slug: "mile", second: "33" }, 422],
    [{ slug: "gates", second: 33 }, 404],
    [{ slug: "secret", second: 10 }, 404],
    [{ slug: "\0", second: 10 }, 404],
  ])("is rejected as nonsense: %j", async (json, status) => {
    expect((await save(await signIn(inAnHour()), json)).status).toBe(status);
  });
});
