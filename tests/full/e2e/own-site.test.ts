import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { unzipSync } from "fflate";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { axeViolations } from "../../support/axe-violations";
import { CRAWLED_SITE, crawlViewers, sentMails } from "../../support/crawl-viewers";
import { siteForThisFile } from "../../support/e2e-site";
import { epubCheck, epubCheckWithoutJava } from "../../support/epub-checkers";
import { eventually } from "../../support/eventually";
import { hasJava } from "../../support/html-checkers";
import { send, type Visitor } from "../../support/http-client";
import { editionFolder, editionText, writeEdition } from "../../support/library";
import { readPage } from "../../support/linked-addresses";
import { policyOf } from "../../support/security-headers";
import { silentMp3 } from "../../support/sounds";

const SITE_YML = `title: Der leise Anfang
subtitle: Wie kleine Gewohnheiten den Tag tragen
slogan: Ein Buch für müde Tage
author: Jörg Wäldle
publisher: Verlag am Weißen Stein
language: de
cover: { file: media/umschlag.jpg }
colors: { accent: "#2f6f8f", dark: "#12263a" }
book:
  price: 19.90 EUR
  buy:
    - { name: Buchladen am Markt, url: https://buchladen.example/anfang }
    - { name: Verlag, url: https://verlag.example/anfang }
claims:
  rating: { value: 4.6, source: { name: Lesekreis, url: https://lesekreis.example/b/1 } }
about: { heading: Worum es geht, text: Wer müde ist, braucht einen Anfang. }
features:
  - { title: Kurz, text: Jedes Kapitel in zehn Minuten. }
reviews:
  - { name: Anna Berg, text: Ein Buch wie eine Tasse Tee. }
faq:
  - { question: Brauche ich Vorkenntnisse?, answer: Nein. }
contact: { city: Tübingen, email: hallo@anfang.example, phone: +49 7071 555 12 }
`.replace(
  "text: Wer müde ist, braucht einen Anfang.",
  'text: "Wer müde ist, braucht einen Anfang."',
);

const cover = await sharp({
  create: { width: 600, height: 900, channels: 3, background: "#2f6f8f" },
})
  .jpeg()
  .toBuffer();

/** The author's edition. Its slugs are those that `crawlViewers` visits. */
const folder = editionFolder({
  "site.yml": SITE_YML,
  "media/umschlag.jpg": cover,
  "media/gang.mp3": silentMp3(1),
  "chapters/01-the-hour-before-the-day.md": editionText(
    { title: "Der erste Schritt", summary: "Womit es beginnt.", order: 1, public: true },
    '"Anfangen" ist ein großes Wort -- und ein kleines.\n\nNoch ein Absatz.',
  ),
  "chapters/02-the-weight-you-carry.md": editionText(
    { title: "البداية الهادئة", summary: "فصل.", order: 2, language: "ar" },
    "في الصباح الباكر يكون اليوم لك وحدك.\n\nالخطوة الثانية تأتي وحدها.",
  ),
  "chapters/03-hajimari.md": editionText(
    { title: "静かな始まり", summary: "章。", order: 3, language: "ja" },
    "朝早く、一日はまだあなたのものです。\n\n二歩目は自然に続きます。",
  ),
  "extras/gang.md": editionText({
    title: "Ein Gang",
    summary: "Zum Hören.",
    order: 1,
    kind: "audio-walk",
    audio: "../media/gang.mp3",
  }),
  "pages/imprint.md": editionText({ title: "Impressum" }, "Jörg Wäldle, Tübingen"),
  "pages/privacy.md": editionText({ title: "Datenschutz" }, "Was wir speichern."),
  "pages/faq.md": editionText({ title: "Fragen" }, "Siehe [Impressum](/pages/imprint)."),
});

const site = siteForThisFile({ variables: { ...CRAWLED_SITE, CONTENT_DIR: folder.path } });

const STRINGS = /"((?:[^"\\]|\\.){12,})"/g;

/** What no page, mail or file of an author's site may contain. */
const SAMPLE_WORDS = [
  ...["Golden Path", "Maren", "Ashdown", "Lantern Lane", "Burlington", "unsplash"],
  ...["24.99", "2,847", "4.9/5", "10,000+", "Bestseller", "twelve chapters"],
  ...[...JSON.stringify(SAMPLE_SITE).matchAll(STRINGS)].map(([, words = ""]) => words),
];

/** The letters of the tests, in the sample author's name, and headings that the specification fixes. */
const IGNORED =
  /\/newsletter\/(?:feed\.xml|the-|what-)|Stay Connected|Full Chapter Access|Exclusive Content|Private Community/;

const sampleWordsIn = (text: string) =>
  SAMPLE_WORDS.filter((words) => text.toLowerCase().includes(words.toLowerCase()));

const linksOf = ({ text }: { text: string }) => readPage(text, `${site.origin}/`).links;

let browsers: Awaited<ReturnType<typeof crawlViewers>>;

beforeAll(async () => {
  browsers = await crawlViewers(site);
}, 300_000);

/** All texts that a viewer reaches by links, by address. */
async function textsOf({ cookie }: Visitor): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const addresses = new Set([`${site.origin}/`, `${site.origin}/newsletter/feed.xml`]);
  for (const address of addresses) {
    const { pathname } = new URL(address);
    if (pathname.startsWith("/build/") || pathname === "/logout") continue;
    const answer = await fetch(address, { headers: { Cookie: cookie }, redirect: "manual" });
    const type = answer.headers.get("Content-Type") ?? "";
    const disposition = answer.headers.get("Content-Disposition") ?? "";
    if (type.includes("epub")) {
      const book = unzipSync(new Uint8Array(await answer.arrayBuffer()));
      const files = Object.entries(book).filter(([name]) => /\.(xhtml|opf|ncx)$/.test(name));
      texts.set(address, files.map(([, file]) => new TextDecoder().decode(file)).join("\n"));
    } else if (/text|xml|json/.test(type)) {
      const text = await answer.text();
      texts.set(address, text + disposition);
      const { links } = readPage(text, address);
      for (const link of links) {
        if (link.startsWith(site.origin)) addresses.add(link.replace(/#.*/, ""));
      }
    }
  }
  return texts;
}

describe("an author's site", () => {
  it.each(["visitor", "member"] as const)(
    "has none of the sample's words on any page, feed and file of a %s",
    async (viewer) => {
      const texts = await textsOf(browsers[viewer]);
      expect(texts.size).toBeGreaterThan(viewer === "member" ? 20 : 12);
      const found = [...texts].flatMap(([address, text]) =>
        sampleWordsIn(text).map((words) => `${address}: ${words}`),
      );
      expect(found.filter((each) => !IGNORED.test(each))).toEqual([]);
    },
    120_000,
  );

  it("has none of them in any mail, nor as its sender", () => {
    const mails = sentMails(site).filter(({ headers }) => !headers["list-id"]);
    expect(mails.length).toBeGreaterThan(10);
    const found = mails.flatMap(({ headers, html, text }) =>
      sampleWordsIn(JSON.stringify(headers) + html + text).map(
        (words) => `${headers.subject}: ${words}`,
      ),
    );
    expect(found).toEqual([]);
    for (const { headers, html } of mails) {
      expect(headers.from).toContain("Der leise Anfang");
      expect(html).toContain("/pages/privacy");
    }
  });

  it("has a book that e-readers accept, in its language", async () => {
    const answer = await fetch(`${site.origin}/premium/book.epub`, {
      headers: { Cookie: browsers.member.cookie },
    });
    expect(answer.headers.get("Content-Disposition")).toContain("Der leise Anfang.epub");
    const epub = Buffer.from(await answer.arrayBuffer());
    const checker = hasJava() ? epubCheck : epubCheckWithoutJava;
    expect(await checker.check(epub)).toEqual([]);
    const files = unzipSync(new Uint8Array(epub));
    const read = (name: string) => new TextDecoder().decode(files[`EPUB/${name}`]);
    expect(read("package.opf")).toContain("<dc:language>de</dc:language>");
    expect(read("chapter-the-hour-before-the-day.xhtml")).toContain("„Anfangen“");
    expect(read("chapter-the-weight-you-carry.xhtml")).toMatch(
      /<html [^>]*lang="ar"[^>]*dir="rtl"/,
    );
    const { width, height } = await sharp(Buffer.from(files["EPUB/cover.jpg"] ?? [])).metadata();
    expect([width, height]).toEqual([600, 900]);
  });

  it("leads to a choice of shops, without scripts too", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    await page.goto("/");
    await page.getByText("Get Your Copy - €19.90").click();
    const shop = page.locator(".hero").getByRole("link", { name: "Buchladen am Markt" });
    expect(await shop.getAttribute("href")).toBe("https://buchladen.example/anfang");
    expect(await shop.isVisible()).toBe(true);
    await page.goto("/auth?tab=signup");
    await page.getByRole("main").getByRole("link", { name: "Datenschutz" }).click();
    await page.getByRole("heading", { name: "Datenschutz" }).waitFor();
    await page.getByRole("contentinfo").getByRole("link", { name: "FAQ" }).click();
    await page.getByRole("heading", { name: "Fragen" }).waitFor();
    await page.getByRole("link", { name: "Impressum" }).first().click();
    await page.getByRole("heading", { name: "Impressum" }).waitFor();
    const mail = page.getByRole("link", { name: "hallo@anfang.example" });
    expect(await mail.getAttribute("href")).toBe("mailto:hallo@anfang.example");
  });

  it("loads nothing from other hosts, and may not (docs/privacy.md)", async () => {
    const page = await site.visit();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    const answer = await page.goto("/", { waitUntil: "networkidle" });
    expect(requested.length).toBeGreaterThan(5);
    expect(requested.filter((url) => !url.startsWith(site.origin))).toEqual([]);
    expect(policyOf({ headers: answer?.headers() ?? {} })["img-src"]).toEqual(["'self'"]);
  });

  it("shows its pictures and plays its sounds on other sites' pages (lightdash/lightdash#23081, microlinkhq/unavatar#176)", async () => {
    const { visitor, member } = browsers;
    const podcast = linksOf(await member.get("/premium/podcast")).find((each) =>
      /\.xml$/.test(each),
    );
    const feed = (await send(podcast ?? "")).text;
    const addresses = new Set([
      ...linksOf(await visitor.get("/")),
      ...linksOf(await visitor.get("/newsletter/the-first-mile")),
      ...[...feed.matchAll(/(?:href|url)="([^"]+)"/g)].map(([, address = ""]) => address),
      `${site.origin}/favicon.ico`,
    ]);
    const shown = [...addresses]
      .map((address) => address.replace("https://", "http://"))
      .filter((address) => /\.(ico|png|jpe?g|webp|mp3)$/.test(new URL(address).pathname));
    const names = shown.map((address) =>
      new URL(address).pathname.replace(/.*\//, "").replace(/^[\w-]{20,}/, ""),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        "favicon.ico",
        "share.png",
        "podcast-cover.jpg",
        "icon-192.png",
        ".png",
        ".mp3",
      ]),
    );
    const elsewhere = createServer((_request, response) => {
      response
        .setHeader("Content-Type", "text/html")
        .end("<!doctype html><title>Elsewhere</title>");
    });
    await new Promise<void>((done) => elsewhere.listen(0, "localhost", done));
    const page = await site.visit();
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
    const failed = await page.evaluate(async (all) => {
      const loads = all.map(async (address) => {
        const element = Object.assign(address.includes(".mp3") ? new Audio() : new Image(), {
          src: address,
        });
        return new Promise<string[]>((done) => {
          element.onerror = () => done([address]);
          element.onload = () => done([]);
          element.addEventListener("loadedmetadata", () => done([]));
        });
      });
      return (await Promise.all(loads)).flat();
    }, shown);
    elsewhere.close();
    expect(failed).toEqual([]);
  });

  it("says in which language its words are, and sets Arabic from right to left", async () => {
    const page = await site.visit();
    await site.signIn(page.context(), "member@example.test");
    for (const path of ["/", "/premium", "/premium/chapters", "/pages/privacy"]) {
      await page.goto(path);
      expect(await axeViolations(page), path).toEqual([]);
    }
    await page.goto("/");
    expect(await page.locator("h1").getAttribute("lang")).toBe("de");
    await page.goto("/premium/chapters/the-weight-you-carry");
    const text = page.locator("#text p").first();
    expect(await text.evaluate((each) => getComputedStyle(each).direction)).toBe("rtl");
    for (const path of ["the-weight-you-carry", "hajimari"]) {
      await page.goto(`/premium/chapters/${path}`);
      const letter = await text.evaluate((each) => {
        const { float, fontSize } = getComputedStyle(each, "::first-letter");
        return { float, isLarge: fontSize !== getComputedStyle(each).fontSize };
      });
      expect(letter, path).toEqual({ float: "none", isLarge: false });
    }
  });

  it("keeps its words when site.yml gets a mistake, and takes the texts all the same", async () => {
    writeEdition(folder.path, {
      "site.yml": SITE_YML.replace("title: Der leise Anfang", "titel: Ein anderer"),
      "chapters/04-neu.md": editionText({ title: "Neu", summary: "Neu.", order: 4, public: true }),
    });
    await eventually(async () => {
      expect((await send(`${site.origin}/preview/neu`)).status).toBe(200);
    });
    const { text } = await send(`${site.origin}/preview/neu`);
    expect(text).toContain("Neu · Der leise Anfang");
    expect(site.output()).toContain("site.yml:1: titel: is not known here");
    await site.killAndRestart();
    await eventually(async () => {
      expect((await send(`${site.origin}/preview/neu`)).text).toContain("Neu · Der leise Anfang");
    });
    expect((await send(`${site.origin}/site-files/cover.jpg`)).status).toBe(200);
  });
});
