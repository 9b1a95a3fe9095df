import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { beforeAll, describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { plain } from "../../support/pictures";

const site = siteForThisFile();

/** A file far larger than 5 MB, on disk: Playwright takes seconds to hand its content to the browser. */
let large: string;
beforeAll(() => {
  large = join(site.dataDir, "large.jpg");
  writeFileSync(large, Buffer.alloc(20 * MEGABYTE));
});

const MEGABYTE = 1024 * 1024;

const section = (page: Page) => page.locator("#picture");
const inHeader = (page: Page) => page.getByRole("banner").locator(".avatar");
const toastOf = (page: Page) => page.locator(".toast");

const picture = async (name = "me.jpg") => ({
  name,
  mimeType: "image/jpeg",
  buffer: await plain(400, 300).jpeg().toBuffer(),
});

type File = Awaited<ReturnType<typeof picture>>;

/** The account page of a new account. */
async function accountPage(javaScriptEnabled: boolean): Promise<Page> {
  const page = await site.visit({ javaScriptEnabled });
  await site.signUp(page.context(), "zoe");
  await page.goto("/account");
  if (javaScriptEnabled) await hydrated(page);
  return page;
}

async function save(page: Page, file: File | string): Promise<void> {
  await section(page)
    .getByLabel(/^(Choose a|New) picture$/)
    .setInputFiles(file);
  await section(page).getByRole("button", { name: "Save picture" }).click();
}

async function expectToast(page: Page, text: string): Promise<void> {
  await expect(toastOf(page)).toContainText(text);
  await expect(page).toHaveURL(`${site.origin}/account#picture`);
}

/** The widths of the pictures in the header and the section, in pixels; null while one is not loaded. */
const widths = (page: Page) =>
  page
    .locator(".avatar img, img.account-picture")
    .evaluateAll((images: HTMLImageElement[]) =>
      images.map(({ complete, naturalWidth }) => (complete ? naturalWidth : null)),
    );

describe.each([
  { name: "with JavaScript", javaScriptEnabled: true },
  { name: "without JavaScript", javaScriptEnabled: false },
])("an account's picture $name", ({ javaScriptEnabled }) => {
  it("appears in the header once saved, stays if the next file is too large, and becomes a letter once removed", async () => {
    const page = await accountPage(javaScriptEnabled);
    await expect(inHeader(page)).toHaveText("Z");
    await expect(inHeader(page).locator("img")).toHaveCount(0);
    await expect(section(page).locator(".account-picture:visible")).toHaveText("Z");
    await expect(section(page).getByRole("button", { name: "Remove picture" })).toHaveCount(0);

    await save(page, await picture());
    await expectToast(page, "Your picture is saved.");
    await expect.poll(() => widths(page)).toEqual([80, 256]);
    await expect(section(page).getByRole("img", { name: "This is yours." })).toBeVisible();

    if (javaScriptEnabled) await hydrated(page);
    await save(page, large);
    await expectToast(page, "The picture is larger than 5 MB.");
    await expect(toastOf(page)).toHaveAttribute("data-variant", "destructive");
    await expect.poll(() => widths(page)).toEqual([80, 256]);

    // on every page
    await page.goto("/");
    await expect.poll(() => widths(page)).toEqual([80]);

    await page.goto("/account");
    await section(page).getByRole("button", { name: "Remove picture" }).click();
    await expectToast(page, "Your picture has been removed.");
    await expect(inHeader(page).locator("img")).toHaveCount(0);
    await expect(inHeader(page)).toHaveText("Z");
    await expect(section(page).locator(".account-picture:visible")).toHaveText("Z");
  });
});
