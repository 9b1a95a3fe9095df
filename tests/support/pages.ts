import type { Page } from "playwright";
import { expect } from "vitest";

/** Waits for a toast with these texts, which must be the only one. */
export async function expectToast(page: Page, title: string, description?: string): Promise<void> {
  const toast = page.locator(".toast").filter({ hasText: title });
  await toast.waitFor();
  expect(await toast.locator(".toast-title").textContent()).toBe(title);
  if (description !== undefined) {
    expect(await toast.locator(".toast-description").textContent()).toBe(description);
  }
  // there is none for a moment, while the Radix toast replaces the plain one
  await expect.poll(() => page.locator(".toast").count()).toBe(1);
}

/** Requests that are expected to fail here: the photographs of the external host. */
const PHOTO_HOST = "images.unsplash.com";

/** Collects uncaught and console errors, which a test expects to be empty. */
export function watchForErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" || message.location().url.includes(PHOTO_HOST)) return;
    // the browser reports every failed response; the test that caused it checks the response itself
    if (/Failed to load resource/.test(message.text())) return;
    // Remix reports a navigation that was superseded by the next one while its response arrived
    if (/^AbortError: signal is aborted without reason/.test(message.text())) return;
    // the checks run in the desk's previews too, which run no script
    if (/^Blocked script execution in '[^']+\/preview\?/.test(message.text())) return;
    errors.push(message.text());
  });
  return errors;
}
