import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import {
  click,
  expectOpen,
  expectPosition,
  expectUnderHeader,
  findOne,
  poll,
  restingPosition,
  wheelTo,
} from "../../support/controls";
import { siteForThisFile } from "../../support/e2e-site";
import { holdRequests, holdScripts } from "../../support/held-requests";
import { hydrated } from "../../support/hydrated.mjs";

const site = siteForThisFile();

const PHONE = { width: 360, height: 740 };

describe("the scroll position", () => {
  const link = (page: Page, name: string, place = "header") =>
    findOne(page, (control) => control.name === name && control.place.startsWith(place));

  it("is restored by a reload, with and without a fragment, and by back and forward", async () => {
    const page = await site.open("/");
    await wheelTo(page, 1_500);
    const first = await restingPosition(page);
    await page.reload();
    await hydrated(page);
    await expectPosition(page, first);

    await click(page, await link(page, "Reviews"));
    await expectUnderHeader(page, "reviews");
    await wheelTo(page, 2_000);
    const second = await restingPosition(page);
    await page.reload();
    await hydrated(page);
    await expectPosition(page, second);
    await page.goBack();
    await expectPosition(page, first);
    await page.goForward();
    await expectPosition(page, second);
  });

  it("is that of the last link when one is clicked while still scrolling to another", async () => {
    const page = await site.open("/");
    const [reviews, about] = [await link(page, "Reviews"), await link(page, "About")];
    await click(page, reviews);
    await poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    await click(page, about);
    await expectUnderHeader(page, "about");
    await click(page, reviews);
    await click(page, reviews);
    await expectUnderHeader(page, "reviews");
  });

  it("does not change when the page's data is reloaded", async () => {
    const page = await site.open("/");
    const data = await holdRequests(page, ({ pathname }) => pathname.endsWith(".data"));
    await wheelTo(page, 600);
    const asked = page.waitForRequest((request) => request.url().includes(".data"));
    // another tab has signed in
    const other = await page.context().newPage();
    await other.goto("/favicon.svg");
    await other.evaluate(() => localStorage.setItem("golden-path:auth", "somebody true"));
    await other.close();
    const answered = (await asked).response();
    await wheelTo(page, 1_500);
    const position = await restingPosition(page);
    data.release();
    await answered;
    await expectPosition(page, position);
    // nor after the page has been rendered with the new data
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    await expectPosition(page, position);
  });

  it.each([
    ["the account menu", "Account menu", { width: 1280, height: 800 }, "[role=menu]"],
    ["the mobile menu", "Menu", PHONE, "details.mobile-menu[open]"],
  ])(
    "does not change when %s gets the focus, opens and closes",
    async (_menu, name, size, opened) => {
      const page = await site.visit({ viewport: size });
      await site.signUp(page.context());
      await site.open("/", page);
      await wheelTo(page, 2_500);
      const position = await restingPosition(page);
      const opener = page.getByRole("banner").locator(`[aria-label="${name}"]:visible`);
      for (const _time of ["first", "second"]) {
        await opener.click();
        await page.locator(opened).waitFor();
        await expectPosition(page, position);
        for (const key of ["Tab", "Escape", "Shift+Tab"]) {
          await page.keyboard.press(key);
          await expectPosition(page, await restingPosition(page));
          await expectPosition(page, position);
        }
      }
    },
  );

  it("does not change during hydration, and is restored by back", async () => {
    // before hydration Chromium stores a page's position a moment late, when smooth scrolling has begun
    const page = await site.visit({ reducedMotion: "reduce" });
    const scripts = await holdScripts(page);
    await page.goto("/");
    await wheelTo(page, 500);
    const first = await restingPosition(page);
    await click(page, await link(page, "Reviews"));
    await expectUnderHeader(page, "reviews");
    await click(page, await link(page, "About"));
    await expectUnderHeader(page, "about");
    await wheelTo(page, 1_800);
    const last = await restingPosition(page);
    scripts.release();
    await hydrated(page);
    await expectPosition(page, last);
    await page.goBack();
    await expectUnderHeader(page, "reviews");
    await page.goBack();
    await expectPosition(page, first);
    await page.goForward();
    await expectUnderHeader(page, "reviews");
    await wheelTo(page, 0);
    const preview = await link(page, "Read Preview", "main");
    await click(page, preview);
    await expectUnderHeader(page, "preview");
  });
});

describe("the mobile menu, when a section is chosen before hydration or without JavaScript", () => {
  const menu = (page: Page) =>
    findOne(page, ({ kind, name }) => kind === "menu" && name === "Menu");

  it("closes, by keyboard too, and can be opened again", async () => {
    const SECTIONS = ["about", "preview", "author", "reviews"];
    const page = await site.visit({ javaScriptEnabled: false, viewport: PHONE });
    await page.goto("/");
    const toggle = await menu(page);
    for (const id of ["about", "about", "reviews"]) {
      await page.locator("summary[aria-label=Menu]").focus();
      await page.keyboard.press("Enter");
      await expectOpen(page, toggle, true);
      for (const link of SECTIONS.slice(0, SECTIONS.indexOf(id) + 1)) {
        await page.keyboard.press("Tab");
        expect((await page.locator(":focus").textContent())?.toLowerCase()).toBe(link);
      }
      await page.keyboard.press("Enter");
      await poll(() => page.url()).toBe(`${site.origin}/#${id}`);
      await expectOpen(page, toggle, false);
      await expectUnderHeader(page, id);
    }
    for (const open of [true, false, true]) {
      await click(page, toggle);
      await expectOpen(page, toggle, open);
    }
  });

  it("is still closed after hydration", async () => {
    const page = await site.visit({ viewport: PHONE });
    const scripts = await holdScripts(page);
    await page.goto("/");
    await click(page, await menu(page));
    await click(page, await findOne(page, ({ name }) => name === "Reviews"));
    await expectUnderHeader(page, "reviews");
    scripts.release();
    await hydrated(page);
    await expectOpen(page, await menu(page), false);
    await expectUnderHeader(page, "reviews");
  });
});
