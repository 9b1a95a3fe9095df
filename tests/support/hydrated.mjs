/**
 * Waits until JavaScript runs all of the page, its effects included (`app/shell/use-hydrated-mark.ts`).
 *
 * @param {import("playwright").Page} page
 */
export async function hydrated(page) {
  await page.waitForFunction(() => document.documentElement?.dataset.hydrated !== undefined);
}
