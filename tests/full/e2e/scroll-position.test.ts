import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { holdRequests, holdScripts } from "../../support/held-requests";
import { hydrated } from "../../support/hydrated.mjs";
import {
  expectPosition,
  expectUnderHeader,
  restingPosition,
  wheelTo,
} from "../../support/scrolling";

const site = siteForThisFile();

const PHONE = { width: 360, height: 740 };

describe("the scroll position", () => {
  const link = (page: Page, name: string) => page.getByRole("banner").getByRole("link", { name });

  it("is restored by a reload, with and without a fragment, and by back and forward", async () => {
    const page = await site.open("/");
    await wheelTo(page, 1_500);
    const first = await restingPosition(page);
    await page.reload();
    await hydrated(page);
    await expectPosition(page, first);

    await link(page, "Reviews").click();
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

  it("is that of the last link clicked, even while still scrolling to another", async () => {
    const page = await site.open("/");
    await link(page, "Reviews").click();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    await link(page, "About").click();
    await expectUnderHeader(page, "about");
    await link(page, "Reviews").click();
    await link(page, "Reviews").click();
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
    // nor after rendering the new data
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
          await expectPosition(page, position);
        }
      }
    },
  );

  it("does not change during hydration, and is restored by going back", async () => {
    // before hydration Chromium stores a page's position slightly late, after smooth scrolling has begun
    const page = await site.visit({ reducedMotion: "reduce" });
    const scripts = await holdScripts(page);
    // held scripts hold the load event
    await page.goto("/", { waitUntil: "domcontentloaded" });
    await wheelTo(page, 500);
    const first = await restingPosition(page);
    await link(page, "Reviews").click();
    await expectUnderHeader(page, "reviews");
    await link(page, "About").click();
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
    await page.getByRole("main").getByRole("link", { name: "Read Preview" }).click();
    await expectUnderHeader(page, "preview");
  });
});

describe("the mobile menu, when a section is chosen before hydration or without JavaScript", () => {
  const menu = (page: Page) => page.getByRole("banner").locator("details.mobile-menu");
  const toggle = (page: Page) => menu(page).locator("summary");

  it("closes, also by keyboard, and can be opened again", async () => {
    const page = await site.visit({ javaScriptEnabled: false, viewport: PHONE });
    await page.goto("/");
    const SECTIONS = ["about", "preview", "author", "reviews"];
    for (const id of ["about", "about", "reviews"]) {
      await toggle(page).press("Enter");
      await expect(menu(page)).toHaveAttribute("open");
      for (const link of SECTIONS.slice(0, SECTIONS.indexOf(id) + 1)) {
        await page.keyboard.press("Tab");
        await expect(page.locator(":focus")).toHaveText(link, { ignoreCase: true });
      }
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(`${site.origin}/#${id}`);
      await expect(menu(page)).not.toHaveAttribute("open");
      await expectUnderHeader(page, id);
    }
  });

  it("is still closed after hydration", async () => {
    const page = await site.visit({ viewport: PHONE });
    const scripts = await holdScripts(page);
    await page.goto("/", { waitUntil: "domcontentloaded" });
    await toggle(page).click();
    await menu(page).getByRole("link", { name: "Reviews" }).click();
    await expectUnderHeader(page, "reviews");
    scripts.release();
    await hydrated(page);
    await expect(menu(page)).not.toHaveAttribute("open");
    await expectUnderHeader(page, "reviews");
  });
});
