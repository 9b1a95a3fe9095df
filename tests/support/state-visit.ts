import type { BrowserContext, Page, Response } from "playwright";
import { send } from "./http-client";
import { watchForErrors } from "./pages";
import type { ScreenState } from "./screen-states.mjs";
import type { StatesSite } from "./states-site";

/** The height of the window in which states are set up, in CSS pixels. */
export const HEIGHT = 800;

/** The documents of a state, kept by a visit to it. */
export type StateDocuments = {
  state: ScreenState;
  /** The page as sent by the server, and how it was asked for; null if it was no page. */
  sent: { title: string; html: string } | null;
  /** The document in the browser, after scripts have run. */
  shown: string;
  headings: string[];
  /** The document with the current values and open menus, and without scripts, for another window to lay out. */
  snapshot: string;
  /** Whether a script has placed something: then the snapshot is valid only at its own width. */
  isPlacedByScript: boolean;
};

export type StateVisit = { page: Page; documents: StateDocuments; errors: readonly string[] };

/**
 * Visits states in Chromium, one tab for each, with reduced motion: contrast cannot be measured during a fade. Visits
 * are expensive, so all checks of a state share one.
 */
export class StateVisits {
  readonly #contexts = new Map<string, Promise<BrowserContext>>();

  constructor(readonly site: StatesSite) {}

  /** Sets up a state in a window of this width, and keeps its documents. */
  async open(state: ScreenState, width: number): Promise<StateVisit> {
    const page = await (await this.#contextOf(state)).newPage();
    await page.setViewportSize({ width, height: HEIGHT });
    const errors = watchForErrors(page);
    const pages: Response[] = [];
    page.on("response", (response) => {
      // not those of frames
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        pages.push(response);
    });
    // the checks need JavaScript; with its own scripts blocked, a page looks as without JavaScript
    if (state.plain) await page.route("**/build/**/*.js", (route) => route.abort());
    await state.show(page, this.site.visitors);
    const shown = await page.evaluate(
      () => `<!DOCTYPE html>\n${document.documentElement.outerHTML}`,
    );
    const documents = {
      state,
      sent: await this.#asSent(state, pages.at(-1)),
      shown,
      headings: await page.locator("h1, h2, h3").allTextContents(),
      snapshot: await page.evaluate(serialize),
      isPlacedByScript: (await page.locator("[data-radix-popper-content-wrapper]").count()) > 0,
    };
    return { page, documents, errors };
  }

  #contextOf({ name, visitor = "anonymous", plain }: ScreenState): Promise<BrowserContext> {
    // without JavaScript the toast comes in a cookie, which must not be shared
    const key = plain ? name : visitor;
    const opened =
      this.#contexts.get(key) ??
      this.site.browser.newContext({
        baseURL: this.site.program.origin,
        storageState: this.site.visitors[visitor].cookies,
        reducedMotion: "reduce",
      });
    this.#contexts.set(key, opened);
    return opened;
  }

  /** A state's last page, requested again, since the browser does not keep the source. */
  async #asSent(
    { name }: ScreenState,
    last: Response | undefined,
  ): Promise<StateDocuments["sent"]> {
    if (!last) throw new Error(`${name} opened no page.`);
    const request = last.request();
    const { cookies } = await request.frame().page().context().storageState();
    const answer = await send(last.url(), {
      method: request.method(),
      body: request.postData() ?? undefined,
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
      headers: {
        Origin: this.site.program.origin,
        "Sec-Fetch-Site": "same-origin",
        Accept: "text/html",
        ...(request.method() === "POST" && { "Content-Type": request.headers()["content-type"] }),
      },
    });
    if (!String(answer.headers["content-type"]).startsWith("text/html")) return null;
    return { title: `${name} (${request.method()} ${answer.status})`, html: answer.text };
  }
}

/** Runs in the page. */
function serialize(): string {
  for (const field of document.querySelectorAll("input")) field.setAttribute("value", field.value);
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  for (const script of copy.querySelectorAll("script, noscript, link[rel*=preload]")) {
    script.remove();
  }
  // it would take the focus and scroll
  for (const field of copy.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
  return `<!doctype html>${copy.outerHTML}`;
}
