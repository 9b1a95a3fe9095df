import { wcagContrast } from "culori";
import { describe, expect, it } from "vitest";
import { COLORS } from "~/styles/colors.mjs";
import { SAMPLE_SITE } from "./sample-site";
import { colorStyles, unreadableAccent, unreadableDark } from "./site-colors";
import { directionOf, type FindImage, readSiteFile } from "./site-file";
import { siteToYaml } from "./site-yaml";

const findImage: FindImage = (path) =>
  path === "media/cover.jpg"
    ? { name: "c.jpg", mediaType: "image/jpeg", width: 600, height: 900 }
    : { reason: "there is no such image" };

const siteIn = (text: string) => {
  const read = readSiteFile(text, findImage, []);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.site;
};

describe("site.yml", () => {
  it("needs only a title, and has nothing of the sample then", () => {
    const site = siteIn("title: Mine\n");
    expect(site).toMatchObject({ isSample: false, title: "Mine", author: null, reviews: [] });
    expect(JSON.stringify(site)).not.toMatch(/Golden|Maren|24\.99|2847/);
  });

  it("is what 'content site' prints", () => {
    const site = siteIn(`title: Mine
cover: { file: media/cover.jpg }
book: { price: 19.90 EUR, buy: [{ name: A shop, url: https://shop.example/1 }] }
claims: { rating: { value: 4.5, source: { name: A list, url: https://list.example/ } }, readers: Ten }
about: { heading: What it is, text: A book. }
contact: { phone: +1 555 }
language: ar
ebook: { checked_by: A friend }
`);
    expect(siteIn(siteToYaml(site, () => "media/cover.jpg"))).toEqual(site);
  });

  it("can be begun from the sample, without its rating", () => {
    const site = siteIn(siteToYaml(SAMPLE_SITE, () => ""));
    expect(site.rating).toBeNull();
    expect({ ...site, rating: SAMPLE_SITE.rating, isSample: true }).toEqual({
      ...SAMPLE_SITE,
      reviewsHeading: "What readers say",
    });
  });

  it.each([
    ["author: A\n", 1, "title: is missing"],
    ["title: A\nclaims:\n  rating: { value: 4.9 }\n", 3, "claims: rating: source: is missing"],
    [
      "title: A\nbook: { price: $24.99 }\n",
      2,
      "book: price: wanted a price with its currency, such as 19.90 EUR",
    ],
    [
      "title: A\nbook: { buy: [{ name: S, url: 'http://s.example' }] }\n",
      2,
      "book: buy: url: wanted an address that begins with https://",
    ],
    ["title: A\nlanguage: no_such\n", 2, "language: wanted a language such as en or pt-BR"],
    ["title: A\ncover: { file: media/none.jpg }\n", 2, "media/none.jpg: there is no such image"],
    [
      "title: A\nreviews:\n  - { name: B, text: C, rating: 9 }\n",
      3,
      "reviews: rating: wanted a whole number from 1 to 5",
    ],
    [
      `title: A\nfeatures: [${"{ title: B, text: C },".repeat(7)}]\n`,
      2,
      "features: wanted at most 6",
    ],
  ])("reports a mistake with its line: %j", (text, line, problem) => {
    const read = readSiteFile(text, findImage, []);
    expect("problems" in read && read.problems).toContainEqual({ line, problem });
  });

  it.each([
    ["ar", "rtl"],
    ["he-IL", "rtl"],
    ["az-Arab", "rtl"],
    ["de", "ltr"],
    ["ku-Latn", "ltr"],
  ])("sets %s as %s", (language, dir) => {
    expect(directionOf(language)).toBe(dir);
  });
});

describe("an author's colors", () => {
  const suggested = (complaint: string | null) =>
    /'(#[0-9a-f]{6})'/.exec(complaint ?? "")?.[1] ?? "";

  it("are refused if text on them is hard to read, with the nearest that is not", () => {
    const accent = suggested(unreadableAccent("#80796b"));
    expect(accent).toMatch(/^#[78]/);
    expect(unreadableAccent(accent)).toBeNull();
    const dark = suggested(unreadableDark("#7a6f9b"));
    expect(unreadableDark(dark)).toBeNull();
    expect(wcagContrast(dark, COLORS["on-night"])).toBeLessThan(7.3);
  });

  it.each(["#ffffff", "#000000", "#c00000", "#ffe600", "#2f6f8f", "#e9b44c"])(
    "give readable text, links and buttons for %s",
    (accent) => {
      const styles = colorStyles({ accent, dark: "#12263a" }) ?? "";
      const token = (name: string, after = 0) =>
        new RegExp(`--color-${name}:(#[0-9a-f]{6})`).exec(styles.slice(after))?.[1] ?? "";
      const onNight = styles.indexOf(".on-night");
      for (const [color, ground] of [
        [token("on-gold"), token("gold")],
        [token("on-gold"), token("gold-deep")],
        [token("gold-text"), COLORS["paper-deep"]],
        [COLORS.ink, token("highlight")],
        [token("mist"), token("night-soft")],
        [token("gold", onNight), token("night-soft")],
        [token("on-gold", onNight), token("gold", onNight)],
      ] as const) {
        expect(wcagContrast(color, ground), `${color} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});
