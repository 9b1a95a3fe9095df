import type { Browser, Page, Response } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_OTHER_HOSTS } from "../support/browsers/chromium.mjs";
import { hasJava, htmlValidate, nuChecker } from "../support/html-checkers";
import { send } from "../support/http-client";
import type { Program } from "../support/program";
import { SCREEN_STATES, type ScreenState } from "../support/screen-states.mjs";
import type { Visitors } from "../support/screen-visitors.mjs";
import { type StatesSite, startStatesSite } from "../support/states-site";

const checkers = hasJava() ? [nuChecker, htmlValidate] : [htmlValidate];
console.log(`HTML is checked by ${checkers.map(({ title }) => title).join(" and ")}.`);

/** A whole document around a body. */
const documentOf = (body: string, after = "") =>
  `<!DOCTYPE html><html lang="en"><head><title>A page</title></head><body>${body}</body></html>${after}`;

const FAULTY = {
  "an id twice": documentOf('<p id="a">one</p><p id="a">two</p>'),
  "an id twice in drawings": documentOf(
    '<svg><defs><linearGradient id="a"></linearGradient></defs></svg>'.repeat(2),
  ),
  "a script after the end": documentOf("<p>one</p>", "<script>1</script>"),
  "what React sends later": documentOf("<p>one</p>", '<div hidden id="S:0"></div>'),
  "an element left open": documentOf("<div><p>one</p>"),
  "a value that an attribute cannot have": documentOf('<input type="magic">'),
};

describe.each(checkers)("$title", (checker) => {
  it("finds every kind of fault, and none in a valid document", async () => {
    const sound = documentOf("<p>one</p>");
    const found = await checker.check(new Map(Object.entries({ ...FAULTY, sound })));
    const names = new Set(found.flatMap((line) => line.split(" — ").at(-1)?.split(", ")));
    expect([...names].sort()).toEqual(Object.keys(FAULTY).sort());
  });
});

describe("the site", () => {
  let site: StatesSite;
  let program: Program;
  let browser: Browser;
  let visitors: Visitors;
  /** Each page as sent by the server. */
  const sent = new Map<string, string>();
  /** Each state's document in the browser, after scripts have run. */
  const shown = new Map<string, string>();
  /** The headings of all states. */
  const headings = new Set<string>();

  beforeAll(async () => {
    site = await startStatesSite({
      args: [NO_OTHER_HOSTS],
    });
    ({ program, browser, visitors } = site);
    const states = SCREEN_STATES.filter(({ again }) => !again);
    const collectInTurn = async () => {
      for (let state = states.shift(); state; state = states.shift()) await collect(state);
    };
    // concurrently, since most of the time is spent waiting
    await Promise.all([collectInTurn(), collectInTurn(), collectInTurn()]);
  });

  afterAll(async () => {
    await site?.close();
  });

  async function collect(state: ScreenState): Promise<void> {
    const context = await browser.newContext({
      baseURL: program.origin,
      storageState: visitors[state.visitor ?? "anonymous"].cookies,
      reducedMotion: "reduce",
      viewport: { width: state.only === "narrow" ? 360 : 1280, height: 800 },
    });
    try {
      const page = await context.newPage();
      const pages: Response[] = [];
      page.on("response", (response) => {
        if (response.request().isNavigationRequest()) pages.push(response);
      });
      if (state.plain) await page.route("**/build/**/*.js", (route) => route.abort());
      await state.show(page, visitors);
      shown.set(state.name, await serialize(page));
      for (const text of await page.locator("h1, h2, h3").allTextContents()) headings.add(text);
      await keepSent(state, pages.at(-1));
    } finally {
      await context.close();
    }
  }

  /** A state's last page, requested again, since the browser does not keep the source. */
  async function keepSent(state: ScreenState, last: Response | undefined): Promise<void> {
    if (!last) throw new Error(`${state.name} opened no page.`);
    const request = last.request();
    const { cookies } = await request.frame().page().context().storageState();
    const answer = await send(last.url(), {
      method: request.method(),
      body: request.postData() ?? undefined,
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
      headers: {
        Origin: program.origin,
        "Sec-Fetch-Site": "same-origin",
        Accept: "text/html",
        ...(request.method() === "POST" && { "Content-Type": request.headers()["content-type"] }),
      },
    });
    if (String(answer.headers["content-type"]).startsWith("text/html")) {
      sent.set(`${state.name} (${request.method()} ${answer.status})`, answer.text);
    }
  }

  /** The serialized document. */
  function serialize(page: Page): Promise<string> {
    return page.evaluate(() => `<!DOCTYPE html>\n${document.documentElement.outerHTML}`);
  }

  it.each(checkers)(
    "has no fault, as sent by the server and in every state ($title)",
    async (checker) => {
      expect(sent.size).toBeGreaterThan(30);
      expect(shown.size).toBe(SCREEN_STATES.filter(({ again }) => !again).length);
      expect(await checker.check(new Map([...sent, ...shown]))).toEqual([]);
    },
  );

  it("has nothing after the html element on any page", () => {
    for (const [name, html] of sent) expect(html.slice(-14), name).toBe("</body></html>");
  });

  it("uses typographic quotes and dashes in headings", () => {
    expect(headings.size).toBeGreaterThan(30);
    expect([...headings].filter((text) => /['"]|--/.test(text))).toEqual([]);
  });

  it.each([
    "/healthz",
    "/readyz",
    "/robots.txt",
    "/sitemap.xml",
    "/.well-known/security.txt",
    "/metrics",
    "/build/gone.js",
    "/favicon.svg",
  ])("allows the browser to load the icon for %s", async (path) => {
    const { headers } = await send(program.origin + path);
    expect(headers["content-security-policy"]).toMatch(/(^|; )img-src 'self'(;| )/);
  });
});
