import type { Locator, Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../support/browser-expect";
import { siteForThisFile } from "../support/e2e-site";

const site = siteForThisFile();

const toastOf = (page: Page) => page.locator(".toast");

/** Pauses the page's clock; the returned function advances it. */
async function stopTime(page: Page): Promise<(milliseconds: number) => Promise<void>> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  return async (milliseconds) => {
    await page.clock.runFor(milliseconds);
    // React renders the timers' updates in another task
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(null);
        }),
    );
  };
}

/** Returns the page with the toast of the hero's button, just shown, its code loaded and the clock paused. */
async function openWithToast(page: Page) {
  await page.clock.install();
  await site.open("/", page);
  // the toast's code loads at the first interaction
  await page.keyboard.press("Shift");
  await expect(page.locator("ol.toast-viewport")).toBeAttached();
  const pass = await stopTime(page);
  await page.getByRole("button", { name: "Get Your Copy - $24.99" }).click();
  const toast = toastOf(page);
  await expect(toast).toHaveAttribute("data-state", "open");
  return { toast, pass };
}

async function expectOpen(toast: Locator) {
  expect(await toast.getAttribute("data-state")).toBe("open");
}

async function startOfSwipe(toast: Locator): Promise<{ x: number; y: number }> {
  const box = await toast.boundingBox();
  if (!box) throw new Error("There is no toast to swipe.");
  return { x: box.x + 60, y: box.y + box.height / 2 };
}

async function swipeByMouse(page: Page, toast: Locator, distance: number): Promise<void> {
  const { x, y } = await startOfSwipe(toast);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + distance, y, { steps: 7 });
  await page.mouse.up();
}

/** Returns a function that swipes the toast with a finger by this many pixels. */
async function finger(page: Page, toast: Locator): Promise<(distance: number) => Promise<void>> {
  const screen = await page.context().newCDPSession(page);
  return async (distance) => {
    const { x, y } = await startOfSwipe(toast);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: number) =>
      screen.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: at === undefined ? [] : [{ x: at, y }],
      });
    await touch("touchStart", x);
    for (const part of [0.25, 0.5, 0.75, 1]) await touch("touchMove", x + distance * part);
    await touch("touchEnd");
  };
}

describe("a toast", () => {
  it("closes after 5000 ms", async () => {
    const { toast, pass } = await openWithToast(await site.visit());
    await pass(4_999);
    await expectOpen(toast);
    await pass(1);
    await expect(toast).toHaveCount(0);
  });

  it("that is rendered with the page closes 5000 ms after the load", async () => {
    const page = await site.visit();
    await page.clock.install();
    await page.context().request.post("/notice", {
      form: { notice: "purchase", redirectTo: "/" },
      headers: { Origin: site.origin },
      maxRedirects: 0,
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto("/");
    const toast = toastOf(page);
    await expect(toast).toHaveAttribute("data-state", "open");
    await page.clock.runFor(4_999);
    await expectOpen(toast);
    await page.clock.runFor(1);
    await expect(toast).toHaveCount(0);
  });

  it("waits while the pointer is over it", async () => {
    const page = await site.visit();
    const { toast, pass } = await openWithToast(page);
    await pass(2_000);
    await toast.hover();
    await pass(60_000);
    await expectOpen(toast);
    await page.mouse.move(10, 300);
    await pass(2_999);
    await expectOpen(toast);
    await pass(1);
    await expect(toast).toHaveCount(0);
  });

  it("waits while it contains the focus", async () => {
    const page = await site.visit();
    const { toast, pass } = await openWithToast(page);
    await pass(2_000);
    await toast.getByRole("button", { name: "Close" }).focus();
    await pass(60_000);
    await expectOpen(toast);
    await page.getByRole("button", { name: "Buy Now" }).focus();
    await pass(2_999);
    await expectOpen(toast);
    await pass(1);
    await expect(toast).toHaveCount(0);
  });

  it("is replaced by the next one, which gets its full time", async () => {
    const page = await site.visit();
    const { toast, pass } = await openWithToast(page);
    await pass(4_000);
    await page.getByRole("button", { name: "Upgrade to Premium" }).click();
    await expect(toast.locator(".toast-title")).toHaveText("Authentication Required");
    await expect(toast).toHaveCount(1);
    await pass(4_999);
    await expect(toast).toHaveCount(1);
    await expectOpen(toast);
    await pass(1);
    await expect(toast).toHaveCount(0);
  });

  it("closes with its button", async () => {
    const { toast } = await openWithToast(await site.visit());
    await toast.getByRole("button", { name: "Close" }).click();
    await expect(toast).toHaveCount(0);
  });

  it("is swiped away to the right by more than 50 px, not by less and not to the left", async () => {
    const page = await site.visit();
    const { toast } = await openWithToast(page);
    const swipe = (distance: number) => swipeByMouse(page, toast, distance);
    for (const tooLittle of [49, -120]) {
      await swipe(tooLittle);
      await expectOpen(toast);
      // it slides back
      await expect(toast).toHaveCSS("transform", "none");
    }
    await swipe(51);
    await expect(toast).toHaveCount(0);
  });

  it("is swiped away with a finger on a phone", async () => {
    const page = await site.visit({ hasTouch: true, viewport: { width: 360, height: 740 } });
    const { toast } = await openWithToast(page);
    const swipe = await finger(page, toast);
    await swipe(49);
    await expectOpen(toast);
    await expect(toast).toHaveCSS("transform", "none");
    await swipe(51);
    await expect(toast).toHaveCount(0);
  });
});

describe("a toast whose code has not loaded", () => {
  /** Returns the page with the plain toast of the hero's button, its clock paused. */
  async function openWithPlainToast(page: Page) {
    await page.clock.install();
    await site.open("/", page);
    // from now on the page requests only the toast's code, which never loads
    await page.route("**/build/**", (route) => route.abort());
    const pass = await stopTime(page);
    await page.getByRole("button", { name: "Get Your Copy - $24.99" }).click();
    const toast = page.locator(".toast-static");
    await expect(toast).toBeVisible();
    return { toast, pass };
  }

  it("closes after 5000 ms", async () => {
    const { toast, pass } = await openWithPlainToast(await site.visit());
    await pass(4_999);
    expect(await toast.count()).toBe(1);
    await pass(1);
    await expect(toast).toHaveCount(0);
  });

  it("is closed by its link on a phone, or swiped away", async () => {
    const page = await site.visit({ hasTouch: true, viewport: { width: 360, height: 740 } });
    const { toast } = await openWithPlainToast(page);
    // before any swipe: Chromium treats a tap soon after a swipe as the end of a fling
    await toast.getByRole("link", { name: "Close" }).tap();
    await expect(toast).toHaveCount(0);
    await page.getByRole("button", { name: "Get Your Copy - $24.99" }).click();
    await expect(toast).toBeVisible();
    const swipe = await finger(page, toast);
    await swipe(49);
    await expect(toast).toHaveCSS("transform", "none");
    expect(await toast.count()).toBe(1);
    await swipe(51);
    await expect(toast).toHaveCount(0);
  });
});

describe("type-ahead in the avatar menu", () => {
  it("moves to the item that starts with the typed letters, and starts over after 1000 ms", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await page.clock.install();
    await site.open("/", page);
    await page.getByRole("banner").getByLabel("Account menu").click();
    const profile = page.getByRole("menuitem", { name: "Profile" });
    const logOut = page.getByRole("menuitem", { name: "Log out" });
    await expect(profile).toBeVisible();
    const pass = await stopTime(page);

    await page.keyboard.press("l");
    await pass(1);
    await expect(logOut).toBeFocused();
    // 999 ms later the letter is still added, and no item starts with 'lp'
    await pass(998);
    await page.keyboard.press("p");
    await pass(1);
    await expect(logOut).toBeFocused();
    // 1000 ms later it is a new first letter
    await pass(999);
    await page.keyboard.press("p");
    await pass(1);
    await expect(profile).toBeFocused();
  });
});
