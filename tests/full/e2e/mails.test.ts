import { readdirSync } from "node:fs";
import { join } from "node:path";
import { caniemail } from "caniemail";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { renderMail } from "~/features/mail/render-mail";
import { axeViolations } from "../../support/axe-violations";
import { brokenTableWords } from "../../support/broken-words";
import { launchChromium } from "../../support/browsers/chromium.mjs";
import { hasJava, nuChecker } from "../../support/html-checkers";
import { renderSamples } from "../../support/mail-samples";

/** Gmail shows no more than 102 KB of a mail (https://github.com/hteumeuleu/email-bugs/issues/41). */
const MAX_BYTES = 90 * 1024;

/** Features that these programs lack, by caniemail's name, with the effect there. */
const UNSUPPORTED: Record<string, string[]> = {
  // links open in a new window in any case
  "gmail.android": ["target attribute"],
  "gmail.desktop-webmail": ["target attribute"],
  "gmail.ios": ["target attribute"],
  // no style element: it stays light, with the margins of a wide window; the preview is a line at the top
  "gmail.mobile-webmail": [
    "<style> element",
    "@media",
    "Attribute selector",
    "Class selector",
    "Descendant combinator",
    "display:none",
    "target attribute",
  ],
  // stays light; its corners are square; preformatted lines do not wrap
  "outlook.windows": ["@media", "Attribute selector", "border-radius", "white-space"],
};

/** Parts that the HTML standard lacks and mail programs need. */
const NOT_IN_THE_STANDARD = [
  // Outlook uses these for the layout of tables
  /^The “(?:align|border|cellpadding|cellspacing|width)” attribute on the “table” element is obsolete\./,
  /^CSS: “mso-(?:hide|line-height-rule|padding-alt|text-raise)”: Property “[\w-]+” doesn't exist\./,
  // x-apple-disable-message-reformatting is a name alone
  /^Element “meta” is missing one or more of the following attributes: “content”, “property”\./,
];

/** Samples that together have every part of all mails, each in the common colors. */
const WITH_EVERY_PART = ["newsletter-issue", "membership-begun", "operator-letter"];

/** The background of all mails, in either scheme. */
const CANVAS = { light: "rgb(246, 238, 221)", dark: "rgb(20, 33, 28)" };

/** Rules about pages. A mail is shown within a page, whose landmarks belong to the mail program. */
const ABOUT_PAGES = ["landmark-one-main", "region"];

type Rendered = Awaited<ReturnType<typeof renderMail>>;

const samples: [name: string, Rendered][] = Object.entries(await renderSamples());

let browser: Browser;
/** Shows one sample after another, and loads nothing. */
let page: Page;
const requested: string[] = [];
beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage({ colorScheme: "dark" });
  await page.route("**/*", (route) => {
    requested.push(route.request().url());
    return route.abort();
  });
});
afterAll(() => browser?.close());

it("covers every template", async () => {
  const folder = join(import.meta.dirname, "../../../app/features/mail/templates");
  const files = readdirSync(folder).map((file) => import(join(folder, file)));
  const templates = (await Promise.all(files)).flatMap(Object.keys);
  const missing = templates.filter((template) => {
    const start = template.replace(/Mail$/, "").replace(/[A-Z]/g, "-$&").toLowerCase();
    return !samples.some(([sample]) => sample.startsWith(start));
  });
  expect(templates).toContain("accountWelcomeMail");
  expect(missing).toEqual([]);
});

it("uses nothing that Gmail, Outlook on Windows or Apple Mail lack, except known differences", () => {
  const clients = ["gmail.*", "outlook.windows", "apple-mail.*"] as const;
  const found = new Map<string, Set<string>>();
  for (const [, { html }] of samples) {
    const { errors } = caniemail({ clients: [...clients], html }).issues;
    for (const [client, issues] of errors) {
      const titles = issues.map(({ title }) => title);
      found.set(client, new Set([...(found.get(client) ?? []), ...titles]));
    }
  }
  const sorted = [...found].map(([client, titles]) => [client, [...titles].sort()]);
  expect(Object.fromEntries(sorted)).toEqual(UNSUPPORTED);
});

it.skipIf(!hasJava())(
  "is valid HTML, except for parts that mail programs need",
  { timeout: 120_000 },
  async () => {
    const faults = await nuChecker.check(new Map(samples.map(([name, { html }]) => [name, html])));
    for (const known of NOT_IN_THE_STANDARD) {
      expect(
        faults.filter((fault) => known.test(fault)),
        String(known),
      ).not.toEqual([]);
    }
    expect(
      faults.filter((fault) => !NOT_IN_THE_STANDARD.some((known) => known.test(fault))),
    ).toEqual([]);
  },
);

it.each(samples)(
  "%s is short, says the same without pictures as its plain part, loads nothing else, and fits its window",
  async (name, { subject, html, text }) => {
    expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES);
    // phones show no more of it
    expect(subject.length).toBeLessThanOrEqual(50);
    expect(text).toMatch(/^[\x20-\x7e\n]+$/);
    expect(text).not.toMatch(/\n{3}|undefined|null|\[object/);

    requested.length = 0;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.setContent(html);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.setViewportSize({ width: 360, height: 640 });
    expect(await page.evaluate(brokenTableWords, 7)).toEqual([]);
    if (WITH_EVERY_PART.includes(name)) await expectReadable(page);

    await page.setViewportSize({ width: 1280, height: 720 });
    const { shown, hrefs } = await page.evaluate(() => ({
      // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
      shown: [document.body.innerText, ...[...document.images].map(({ alt }) => alt)].join(" "),
      hrefs: [...document.links].map((link) => link.getAttribute("href") ?? ""),
    }));
    const words = (line: string) =>
      plainQuotes(line)
        .replace(/[\s:~]+/g, " ")
        .trim()
        .toLowerCase();
    const missing = text
      .split("\n")
      .map((line) => line.replace(/^(?:>| *\*| *\d+\.|---$) ?/, ""))
      .filter((line) => !line.startsWith("https://") && !words(shown).includes(words(line)));
    expect(missing).toEqual([]);
    expect(requested).toEqual(name === "newsletter-issue" ? [expect.stringMatching(/\.png$/)] : []);
    const inText = (text.match(/https:\/\/[^\s"]+|[\w.]+@[\w.]+\w/g) ?? []).filter(
      // what somebody entered is repeated, not linked
      (address) => address !== "reader@example.com",
    );
    const addresses = hrefs.map((href) => href.replace(/^mailto:/, ""));
    expect(inText.sort()).toEqual([...new Set(addresses)].sort());
  },
);

/** Expects a mail's own colors and no axe violation, in either scheme. */
async function expectReadable(page: Page): Promise<void> {
  for (const [colorScheme, canvas] of Object.entries(CANVAS)) {
    await page.emulateMedia({ colorScheme: colorScheme as keyof typeof CANVAS });
    expect(await axeViolations(page, { except: ABOUT_PAGES }), colorScheme).toEqual([]);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(canvas);
  }
}

const plainQuotes = (text: string) => text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
