import type { Page } from "playwright";
import { describe, it } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { send } from "../../support/http-client";
import { hydrated } from "../../support/hydrated.mjs";
import { plain } from "../../support/pictures";
import { expectSecurityHeaders, policyOf } from "../../support/security-headers";

const site = siteForThisFile();

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

async function save(page: Page, file: File): Promise<void> {
  await section(page)
    .getByLabel(/^(Choose a|New) picture$/)
    .setInputFiles(file);
  await section(page).getByRole("button", { name: "Save picture" }).click();
}

async function expectToast(page: Page, text: string): Promise<void> {
  await expect(toastOf(page)).toContainText(text);
  await expect(page).toHaveURL(`${site.origin}/account#picture`);
}

/** The picture in the header and the one in the section, in pixels; null while one is not loaded. */
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
  it("is shown in the header once it is saved, and its letter once it is removed", async () => {
    const page = await accountPage(javaScriptEnabled);
    await expect(inHeader(page)).toHaveText("Z");
    await expect(inHeader(page).locator("img")).toHaveCount(0);
    await expect(section(page).locator(".account-picture")).toHaveText("Z");
    await expect(section(page).getByRole("button", { name: "Remove picture" })).toHaveCount(0);

    await save(page, await picture());
    await expectToast(page, "Your picture is saved.");
    await expect.poll(() => widths(page)).toEqual([80, 256]);
    await expect(section(page).getByRole("img", { name: "This is yours." })).toBeVisible();
    // on every page
    await page.goto("/");
    await expect.poll(() => widths(page)).toEqual([80]);

    await page.goto("/account");
    await section(page).getByRole("button", { name: "Remove picture" }).click();
    await expectToast(page, "Your picture is removed.");
    await expect(inHeader(page).locator("img")).toHaveCount(0);
    await expect(inHeader(page)).toHaveText("Z");
    await expect(section(page).locator(".account-picture")).toHaveText("Z");
  });

  it.each([
    ["larger than 5 MB", Buffer.alloc(6 * MEGABYTE), "The picture is larger than 5 MB."],
    ["far larger than 5 MB", Buffer.alloc(20 * MEGABYTE), "The picture is larger than 5 MB."],
    [
      "of another type",
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      "Please choose a picture in the format PNG, JPEG, WebP or AVIF.",
    ],
  ])("stays when the next file is %s", async (_what, buffer, words) => {
    const page = await accountPage(javaScriptEnabled);
    await save(page, await picture());
    await expectToast(page, "Your picture is saved.");
    if (javaScriptEnabled) await hydrated(page);
    await save(page, { ...(await picture()), buffer });
    await expectToast(page, words);
    await expect(toastOf(page)).toHaveAttribute("data-variant", "destructive");
    await expect.poll(() => widths(page)).toEqual([80, 256]);
  });
});

it("leaves the account page without a violation of axe's rules", async () => {
  const page = await accountPage(true);
  expect(await axeViolations(page)).toEqual([]);
  await save(page, await picture());
  await expectToast(page, "Your picture is saved.");
  await hydrated(page);
  expect(await axeViolations(page)).toEqual([]);
});

it("is chosen, saved and removed by keyboard", async () => {
  const page = await accountPage(true);
  await section(page)
    .getByLabel("Choose a picture")
    .setInputFiles(await picture());
  await section(page).getByLabel("Choose a picture").focus();
  await page.keyboard.press("Tab");
  await expect(section(page).getByRole("button", { name: "Save picture" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectToast(page, "Your picture is saved.");
  await hydrated(page);
  await section(page).getByRole("button", { name: "Save picture" }).focus();
  await page.keyboard.press("Tab");
  await expect(section(page).getByRole("button", { name: "Remove picture" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectToast(page, "Your picture is removed.");
});

it("needs a file", async () => {
  const page = await accountPage(true);
  await section(page).getByRole("button", { name: "Save picture" }).click();
  const field = section(page).getByLabel("Choose a picture");
  expect(await field.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true);
});

it("is a file that can do nothing but be shown", async () => {
  const page = await accountPage(false);
  await save(page, await picture());
  const address = await inHeader(page).locator("img").getAttribute("src");
  const answer = await send(site.origin + address);
  expect(answer.status).toBe(200);
  expectSecurityHeaders(answer);
  expect(policyOf(answer)["default-src"]).toEqual(["'none'"]);
  expect(answer.headers).toMatchObject({
    "content-type": "image/webp",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
  expect(answer.headers["set-cookie"]).toBeUndefined();
  const again = await send(site.origin + address, {
    headers: { "If-None-Match": String(answer.headers.etag) },
  });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});

it("survives kill -9, and the next one is taken as before", async () => {
  const page = await accountPage(false);
  await save(page, await picture());
  await expectToast(page, "Your picture is saved.");
  await site.killAndRestart();
  await page.goto("/account");
  await expect.poll(() => widths(page)).toEqual([80, 256]);
  await save(page, await picture());
  await expectToast(page, "Your picture is saved.");
});
