import type { Page, Request } from "playwright";

/** A page's delayed requests; a test can inspect the page meanwhile. */
export type HeldRequests = {
  /** The requests that have been made so far. */
  readonly requests: Request[];
  /** Forwards them to the server, as well as all later ones. */
  release(): void;
};

/** Holds every request to a path of the site, or to the addresses that are `held`, until it is released. */
export async function holdRequests(
  page: Page,
  held: string | ((url: URL) => boolean),
): Promise<HeldRequests> {
  const requests: Request[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    (url) => (typeof held === "string" ? url.pathname === held : held(url)),
    async (route) => {
      requests.push(route.request());
      await released;
      await route.continue();
    },
  );
  return { requests, release };
}

/** Holds every script of the site until it is released. */
export const holdScripts = (page: Page): Promise<HeldRequests> =>
  holdRequests(page, ({ pathname }) => /^\/build\/.*\.js$/.test(pathname));
