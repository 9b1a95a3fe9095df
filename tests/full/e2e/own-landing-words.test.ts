import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { beforeAll, describe, it } from "vitest";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { axeViolations } from "../../support/axe-violations";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { send } from "../../support/http-client";
import { hydrated } from "../../support/hydrated.mjs";
import { editionFolder, SMALL_EDITION } from "../../support/library";

const picture = (name: string) => readFileSync(join(import.meta.dirname, "../../../public", name));
const addressOf = (file: Buffer, ending: string) =>
  `/preview/media/${createHash("sha256").update(file).digest("hex").slice(0, 32)}.${ending}`;

const CARD = picture("share.png");
const FACE = picture("podcast-cover.jpg");
const UNUSED = picture("icon-512.png");

const CONTACT = [
  "Lantern & Sons",
  "1 Quay",
  "Bergen",
  `${"long".repeat(10)}@lantern.example`,
  "+47 5555",
];

const folder = editionFolder({
  ...SMALL_EDITION,
  "media/card.png": CARD,
  "media/face.jpg": FACE,
  "media/unused.png": UNUSED,
  "landing.yml": `about: It begins with a Tuesday & ends with "one".
features: [Of methods., Of stories., Of steps.]
chapters:
  - { title: Two, text: Of hills. }
  - { title: Three, text: Of later. }
  - { title: Four, text: Of walls. }
biography: { lead: She walks., paragraphs: [She wrote., She rests.] }
reviews:
  - { name: Ada Bee, role: Baker, rating: 4, text: Warm. }
  - { name: Cy Dee, role: Diver, rating: 5, text: Deep. }
  - { name: Ed Eff, role: Farmer, rating: 5, text: Broad. }
contact: { publisher: ${CONTACT[0]}, street: 1 Quay, city: Bergen, email: ${CONTACT[3]}, phone: +47 5555 }
photos:
  hero: { file: media/card.png, alt: A road over hills }
  author: { file: media/face.jpg, alt: Maren at her door }
share: { file: media/card.png, alt: A card }
`,
});

const site = siteForThisFile({
  variables: {
    CONTENT_DIR: folder.path,
    COMMUNITY_URL: "https://community.book.example",
    DISCOURSE_CONNECT_SECRET: "a secret of the community",
  },
});

beforeAll(async () => {
  await expect.poll(async () => (await send(`${site.origin}/`)).text).toContain("Of methods.");
});

async function expectOwnWords(page: Page): Promise<void> {
  const main = page.locator("main");
  for (const words of [
    'It begins with a Tuesday & ends with "one".',
    ...["Of methods.", "Of stories.", "Of steps.", "Of hills.", "Of later.", "Of walls."],
    ...["She walks.", "She wrote.", "She rests.", "Warm.", "Deep.", "Broad.", "Ada Bee"],
  ]) {
    await expect(main).toContainText(words);
  }
  for (const words of [
    SAMPLE_SITE.about?.text ?? "",
    SAMPLE_SITE.biography?.lead ?? "",
    ...SAMPLE_SITE.previewChapters.map(({ text }) => text),
    ...SAMPLE_SITE.reviews.map(({ text }) => text),
    "It opens later",
  ]) {
    await expect(main).not.toContainText(words);
  }
  await expect(page.locator("footer address > *")).toHaveText(CONTACT);
  await expect(page.locator("footer")).toContainText("© Lantern & Sons. All rights reserved.");
  await expect(page.locator("footer")).not.toContainText(SAMPLE_SITE.contact.street ?? "");
}

describe("an edition with its own words and pictures for the landing page", () => {
  it("shows them, and loads nothing from other hosts", async () => {
    const page = await site.visit();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto("/");
    await hydrated(page);
    await expectOwnWords(page);

    for (const [alt, address] of [
      ["A road over hills", addressOf(CARD, "png")],
      ["Maren at her door", addressOf(FACE, "jpg")],
    ] as const) {
      const shown = page.getByAltText(alt);
      await shown.scrollIntoViewIfNeeded();
      await expect(shown).toHaveAttribute("src", address);
      await expect
        .poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(0);
    }
    // nor does it connect to the photo host, which it does not need
    expect(requested.filter((url) => !url.startsWith(site.origin))).toEqual([]);
    await expect(page.locator("link[rel=preconnect]")).toHaveCount(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("has its picture in link previews and structured data", async () => {
    const address = addressOf(CARD, "png");
    for (const path of ["/", "/preview/gates"]) {
      const { text } = await send(site.origin + path);
      expect(text, path).toContain(
        `<meta property="og:image" content="${site.origin}${address}"/>`,
      );
      expect(text, path).toContain('<meta name="twitter:image:alt" content="A card"/>');
      expect(text, path).toContain(`"image":"${site.origin}${address}"`);
      expect(text, path).not.toContain("/share.png");
    }
  });
});
