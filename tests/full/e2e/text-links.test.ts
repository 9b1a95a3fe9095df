import { describe, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";

const site = siteForThisFile();

/** A value of `text-decoration` that every browser accepts: WebKit supports no thickness there. */
const ONE_KEYWORD = /^(?:none|underline|inherit|initial|unset)$/;

describe("links in text", () => {
  const PAGES = [
    { path: "/", links: ["About", "Preview", "Author", "Reviews", "Premium", "Newsletter"] },
    { path: "/auth", links: ["Forgot your password?"] },
    { path: "/billing/card", links: ["Forgot your password?"] },
    { path: "/premium", member: true, links: [] },
    { path: "/the-wrong-turn", links: [] },
  ];

  it.each(PAGES)("differ from text on $path (member: $member)", async ({ path, member, links }) => {
    const page = await site.visit();
    if (member) await site.signUpAsMember(page.context());
    await site.open(path, page);
    const { underlined, unmarked } = await page.evaluate(() => {
      const isClear = (color: string) => /^(?:transparent|rgba\(.*, 0\))$/.test(color);
      /** Whether a link is not in text: part of the header, a tab, a button with an outline, or beside an icon. */
      const hasSignOfItsOwn = (link: Element) => {
        const { borderTopWidth, borderTopColor } = getComputedStyle(link);
        const isOutlined = borderTopWidth !== "0px" && !isClear(borderTopColor);
        return isOutlined || link.matches(".site-header *, [role=tab], .skip-link, :has(> svg)");
      };
      /** As a whole, or, in a link with several parts, the words that name its target. */
      const isUnderlined = (link: Element) =>
        [link, ...link.querySelectorAll("*")].some((part) => {
          const { textDecorationLine, textDecorationColor } = getComputedStyle(part);
          return textDecorationLine === "underline" && !isClear(textDecorationColor);
        });
      const links = [...document.querySelectorAll("a[href]")].filter((link) =>
        link.checkVisibility(),
      );
      const words = (link: Element) => link.textContent ?? "";
      return {
        underlined: links.filter(isUnderlined).map(words),
        unmarked: links.filter((link) => !isUnderlined(link) && !hasSignOfItsOwn(link)).map(words),
      };
    });
    expect(unmarked).toEqual([]);
    // the footer's links are on every page
    expect(underlined).toEqual(expect.arrayContaining(links));
  });
});

describe("neighbors separated only by style", () => {
  const PAGES = ["/", "/newsletter/archive", "/the-wrong-turn"];

  it.each(PAGES)("are separate words on %s where styles are ignored", async (path) => {
    const page = await site.visit({ javaScriptEnabled: false });
    await page.goto(path);
    const runTogether = await page.evaluate(() => {
      const INLINE = ":is(a, button, span, i, b)";
      const textOf = (element: Element | null) => element?.textContent ?? "";
      return [...document.querySelectorAll(`${INLINE} + ${INLINE}`)]
        .filter((element) => element.previousSibling === element.previousElementSibling)
        .map((element) => [textOf(element.previousElementSibling), textOf(element)] as const)
        .filter(([before, after]) => /\S$/.test(before) && /^\S/.test(after));
    });
    expect(runTogether).toEqual([]);
  });
});

describe("the built style sheets", () => {
  /** The landing page's style sheets: the common one, and its own. */
  async function styleSheet(): Promise<string> {
    const html = await (await fetch(site.origin)).text();
    const hrefs = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)];
    expect(hrefs).toHaveLength(2);
    const sheets = hrefs.map(async ([, href = ""]) =>
      (await fetch(new URL(href, site.origin))).text(),
    );
    return (await Promise.all(sheets)).join("\n");
  }

  it("sets underlines in longhand properties, which WebKit needs for their thickness", async () => {
    const css = (await styleSheet())
      // Tailwind's own rule, for an element that no page has
      .replace(/abbr:where\(\[title\]\)\{[^}]*\}/, "");
    const values = [...css.matchAll(/[;{](?:-webkit-)?text-decoration:([^;}]+)/g)].map(
      ([, value = ""]) => value,
    );
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => !ONE_KEYWORD.test(value))).toEqual([]);
    expect(css).toContain("text-decoration-thickness:1px");
  });

  it("sets a first line in small capitals by its font, since WebKit ignores text-transform there", async () => {
    const firstLines = [...(await styleSheet()).matchAll(/:first-line\{([^}]*)\}/g)];
    expect(firstLines.length).toBeGreaterThan(0);
    for (const [, declarations] of firstLines) expect(declarations).not.toContain("text-transform");
    const page = await site.landingPage();
    const opening = page.locator(".book-text p").first();
    const style = await opening.evaluate((paragraph) => ({
      caps: getComputedStyle(paragraph, "::first-line").fontVariantCaps,
      initial: getComputedStyle(paragraph, "::first-letter").fontVariantCaps,
      synthesis: getComputedStyle(paragraph).getPropertyValue("font-synthesis-small-caps"),
    }));
    expect(style).toEqual({ caps: "all-small-caps", initial: "normal", synthesis: "auto" });
  });
});
