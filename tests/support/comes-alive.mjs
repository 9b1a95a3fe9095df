/**
 * Waits until JavaScript runs all of the page, its effects included (`app/shell/use-alive-mark.ts`).
 *
 * @param {import("playwright").Page} page
 */
export async function comesAlive(page) {
  await page.waitForFunction(() => document.documentElement.dataset.alive !== undefined);
}
