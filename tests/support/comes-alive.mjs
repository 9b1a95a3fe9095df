/**
 * Waits until JavaScript runs the page: React marks what it has hydrated.
 *
 * @param {import("playwright").Page} page
 */
export async function comesAlive(page) {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("body header") ?? {}).some((key) =>
      key.startsWith("__reactProps"),
    ),
  );
}
