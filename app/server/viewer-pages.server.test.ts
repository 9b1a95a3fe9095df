import { type AppLoadContext, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { encode } from "turbo-stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withRenderedOnly } from "~/http/rendered-only.server";
import type { OwnValues } from "~/http/route-handle";
import { scriptText } from "~/shell/hydration/inline-scripts.server";
import { watchLog } from "../../tests/support/log";
import { escapeHtml } from "./page-template.server";
import { ViewerPages } from "./viewer-pages.server";

type Reader = { id: string; email: string; avatar: string | null };

const ANNA: Reader = { id: "id-of-anna", email: "anna@book.test", avatar: "/avatars/anna.webp" };
const BEN: Reader = { id: "id-of-ben", email: `b"e'n&<b>@book.test`, avatar: "/avatars/$&.webp" };
/** Without a picture, so that hers is another template. */
const CLARA: Reader = { id: "id-of-clara", email: "clara@book.test", avatar: null };

type Args = { request: Request; context: AppLoadContext };

const IDS = ["root", "layout", "page"];

/** How a site differs from one whose pages are all filled in. */
type Differences = {
  root?: (reader: Reader) => object;
  /** With which the root loader returns its data. */
  init?: () => ResponseInit;
  page?: (reader: Reader, args: Args) => unknown;
  ownValues?: (data: unknown) => OwnValues;
  /** Further HTML, by what the page shows and whether it is for a stand-in. */
  html?: (shown: Shown, isStandIn: boolean) => string;
  /** Of the page that Remix answers with. */
  response?: (isStandIn: boolean) => ResponseInit;
  render?: () => Promise<void>;
};

type Shown = { email: string; data: Record<string, unknown> };

/** A site with a page whose root loader reads its viewer from the cookie, and that counts what it does. */
class Site {
  readonly calls = { root: 0, page: 0, renders: 0, standIns: 0 };
  readonly pages: ViewerPages;
  readonly #readers = new Map([ANNA, BEN, CLARA].map((reader) => [reader.id, reader]));
  readonly #differences: Differences;
  #nonces = 0;

  constructor(differences: Differences = {}) {
    this.#differences = differences;
    const { root, init, page } = differences;
    const readerOf = ({ request }: Args) =>
      this.#readers.get(request.headers.get("Cookie") ?? "") as Reader;
    const module = (loader: (args: Args) => unknown) => ({ module: { loader } });
    this.pages = new ViewerPages({
      root: module((args) => {
        this.calls.root++;
        const reader = readerOf(args);
        return data({ ...rootDataOf(reader), ...root?.(reader) }, init?.());
      }),
      page: module((args) => {
        this.calls.page++;
        return page ? page(readerOf(args), args) : { chapters: ["Gates", "Hills"] };
      }),
      layout: { module: {} },
    } as never);
  }

  /** What Remix does, but for React. */
  readonly remix = async (request: Request, context: AppLoadContext): Promise<Response> => {
    const isStandIn = context.pageData !== undefined;
    expect(context.isDocument).toBe(true);
    this.calls[isStandIn ? "standIns" : "renders"]++;
    const { html, response, render } = this.#differences;
    await render?.();
    const loaded: Record<string, unknown> = {};
    const headers = new Headers({ "Content-Type": "text/html" });
    const routes = this.pages.routes();
    for (const id of IDS) {
      const load = routes[id]?.module.loader as ((args: LoaderFunctionArgs) => unknown) | undefined;
      const value = await load?.({ request, context, params: {} });
      if (value instanceof Response) return value;
      const { type, ...withInit } = Object(value) as ReturnType<typeof data>;
      loaded[id] = type === "DataWithResponseInit" ? withInit.data : value;
      new Headers(withInit.init?.headers).forEach((text, name) => {
        headers.append(name, text);
      });
    }
    const { viewer } = loaded.root as { viewer: { user: { email: string } } | null };
    const email = viewer?.user.email ?? "";
    const pageData = context.pageData ?? (await encoded(loaded));
    const shown = { email, data: loaded };
    const body = `<p>${escapeHtml(email)}</p>${html?.(shown, isStandIn) ?? ""}<script nonce="${context.nonce}">take(${scriptText(pageData)})</script>`;
    const init = response?.(isStandIn) ?? {};
    new Headers(init.headers).forEach((text, name) => {
      headers.append(name, text);
    });
    return new Response(body, { ...init, headers });
  };

  /** A reader's page, as it is filled in or, if it cannot be, rendered. */
  async ask(reader: Reader, path = "/premium") {
    const request = new Request(`http://book.test${path}`, { headers: { Cookie: reader.id } });
    const context: AppLoadContext = { nonce: `nonce-${this.#nonces++}`, isDocument: true };
    const route = { ids: IDS, params: {}, ...this.#own };
    const filled = await this.pages.answer(this.remix, request, context, route);
    const rendered = filled ? null : await this.remix(request, context);
    const text = filled ? filled.body.toString() : ((await rendered?.text()) ?? "");
    expect(text).toContain(`nonce="${context.nonce}"`);
    return {
      isFilled: filled !== null,
      text: text.replace(String(context.nonce), "nonce"),
      headers: (filled ?? rendered)?.headers,
    };
  }

  get #own() {
    const { ownValues } = this.#differences;
    return ownValues ? { ownValues } : {};
  }

  /** Which of several pages in a row are filled in. */
  async areFilled(...readers: Reader[]): Promise<boolean[]> {
    const filled = [];
    for (const reader of readers) filled.push((await this.ask(reader)).isFilled);
    return filled;
  }
}

const rootDataOf = ({ id, email, avatar }: Reader) => ({
  viewer: {
    user: { id, email, user_metadata: { avatar_url: avatar } },
    profile: null,
    isSubscribed: true,
  },
  toast: null,
  notice: null,
  form: null,
});

async function encoded(loaderData: unknown): Promise<string> {
  const stream = encode({ loaderData, actionData: null, errors: null });
  return new Response(stream).text();
}

const NEVER = [false, false, false];

const CONTACT = Object.freeze({ contact: ANNA.email });

/** Every other page for a stand-in has another status. */
function secondFails(): Differences["response"] {
  let count = 0;
  return (isStandIn) => ({ status: isStandIn && count++ % 2 === 1 ? 500 : 200 });
}

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a viewer's page", () => {
  it("is rendered at first, and then filled in as it would be rendered", async () => {
    const site = new Site();
    expect(await site.areFilled(ANNA)).toEqual([false]);
    for (const reader of [BEN, ANNA]) {
      const filled = await site.ask(reader);
      expect(filled.isFilled).toBe(true);
      expect(filled.text).toBe((await new Site().ask(reader)).text);
      expect(filled.headers?.get("Content-Type")).toBe("text/html");
    }
    expect(site.calls).toMatchObject({ renders: 1, standIns: 2 });
    expect(site.pages.statistics).toEqual({ filled: 2, templates: 1, refused: 0 });
  });

  it("shows what is derived from its viewer's own values", async () => {
    const seenAt = "2026-01-02T03:04:05.678Z";
    const site = new Site({
      page: ({ id }) => ({ seenAt: id === ANNA.id ? seenAt : null }),
      ownValues: (own) => ({ texts: [], instants: [(own as { seenAt: string | null }).seenAt] }),
      html: ({ email, data: { page } }) => {
        const { seenAt } = page as { seenAt: string | null };
        return `<b>${email.charAt(0).toUpperCase()}</b>${seenAt ?? ""}`;
      },
    });
    await site.ask(ANNA);
    const { isFilled, text } = await site.ask(ANNA);
    expect(isFilled).toBe(true);
    expect(text).toContain(`<b>A</b>${seenAt}`);
    // its template is that of data with an instant
    expect(await site.areFilled(BEN)).toEqual([false]);
  });

  it("runs its loaders once, whether it is filled in or rendered", async () => {
    const site = new Site();
    await site.ask(ANNA);
    expect(site.calls).toMatchObject({ root: 1, page: 1, renders: 1 });
    await site.ask(ANNA);
    expect(site.calls).toMatchObject({ root: 2, page: 2, renders: 1 });
  });

  it("is rendered with what its loaders have thrown, without running them again", async () => {
    const page = () => {
      throw redirect("/");
    };
    const site = new Site({ page });
    for (let count = 1; count <= 3; count++) {
      await expect(site.ask(ANNA)).rejects.toMatchObject({ status: 302 });
      expect(site.calls).toEqual({ root: count, page: count, renders: count, standIns: 0 });
    }
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["nothing", undefined],
    ["a text", "a text"],
    ["a number", 5],
    ["what has a type", { type: "note", data: { text: "a note" }, init: null }],
  ])("is filled in with %s", async (_, value) => {
    const [site, another] = [new Site({ page: () => value }), new Site({ page: () => value })];
    expect(await site.areFilled(ANNA)).toEqual([false]);
    const filled = await site.ask(BEN);
    expect(filled).toMatchObject({ isFilled: true, text: (await another.ask(BEN)).text });
  });

  it("has a template of its own for each address, what loaders return, and their headers", async () => {
    let headers = { "X-Test": "one" };
    const site = new Site({
      page: ({ id }) => ({ read: id === CLARA.id }),
      init: () => ({ headers }),
    });
    await site.areFilled(ANNA, ANNA);
    expect((await site.ask(ANNA, "/premium/chapters")).isFilled).toBe(false);
    expect(await site.areFilled(CLARA, BEN)).toEqual([false, true]);
    headers = { "X-Test": "two" };
    expect(await site.areFilled(BEN, ANNA)).toEqual([false, true]);
    expect((await site.ask(ANNA)).headers?.get("X-Test")).toBe("two");
  });

  it("has what is rendered without being sent", async () => {
    let html = "<i>a text</i>";
    const site = new Site({
      page: (_, { context }) => withRenderedOnly({ slug: "gates" }, { html }, context),
      html: ({ data: { page } }) => (page as { html: string }).html,
    });
    await site.ask(ANNA);
    const filled = await site.ask(BEN);
    expect(filled.isFilled).toBe(true);
    expect(filled.text.split("<i>a text</i>")).toHaveLength(2);
    html = "<i>another</i>";
    expect((await site.ask(BEN)).text).toContain("<i>another</i>");
  });
});

describe("a page is rendered each time", () => {
  it.each<[string, Differences]>([
    ["without a viewer", { root: () => ({ viewer: null }) }],
    ["with a toast", { root: () => ({ toast: { title: "Hello", id: "1" } }) }],
    ["with a notice", { root: () => ({ notice: "confirm-email" }) }],
    ["with a failed form", { root: () => ({ form: { email: "typed" } }) }],
    ["that sets a cookie", { init: () => ({ headers: { "Set-Cookie": "session=a" } }) }],
    ["with another status", { init: () => ({ status: 201 }) }],
    ["with data that JSON does not know", { page: () => ({ at: new Date(0) }) }],
    ["that shows part of a value", { html: ({ email }) => email.slice(-3) }],
    ["that is decided by a value", { html: ({ email }) => (email.length > 100 ? "long" : "") }],
    [
      "whose stand-ins have other headers each",
      { response: () => ({ headers: { "X-Random": String(Math.random()) } }) },
    ],
    [
      "whose stand-ins set cookies",
      { response: (isStandIn) => (isStandIn ? { headers: { "Set-Cookie": "a=b" } } : {}) },
    ],
    ["whose stand-ins cannot be rendered", { response: (is) => ({ status: is ? 500 : 200 }) }],
    ["one of whose stand-ins cannot be rendered", { response: secondFails() }],
    // which Remix sends once with hers, and twice with a stand-in's
    ["whose data for all have her address as well", { page: () => CONTACT }],
  ])("%s", async (_, differences) => {
    const lines = watchLog();
    const site = new Site(differences);
    expect(await site.areFilled(ANNA, ANNA, ANNA)).toEqual(NEVER);
    expect(site.calls).toMatchObject({ root: 3, page: 3, renders: 3 });
    expect(site.pages.statistics.filled).toBe(0);
    expect(lines).toEqual([]);
  });

  it("whose loader returns a response", async () => {
    const site = new Site({ page: () => new Response("a file") });
    for (let count = 1; count <= 3; count++) {
      await expect(site.ask(ANNA)).rejects.toThrow("nonce");
      expect(site.calls).toMatchObject({ page: count, renders: count, standIns: 0 });
    }
  });

  it("if no template of it can be made, which is tried once a minute", async () => {
    const site = new Site({ html: ({ email }) => email.slice(-3) });
    expect(await site.areFilled(ANNA, ANNA, ANNA, BEN)).toEqual([...NEVER, false]);
    expect(site.calls.standIns).toBe(2);
    expect(site.pages.statistics).toEqual({ filled: 0, templates: 0, refused: 1 });
    vi.advanceTimersByTime(60_000);
    await site.ask(ANNA);
    expect(site.calls.standIns).toBe(4);
  });

  it("if rendering fails for stand-ins, which is logged", async () => {
    const lines = watchLog();
    let isBroken = false;
    const site = new Site({
      render: async () => {
        if (isBroken) throw new Error("broken");
      },
    });
    await site.ask(ANNA);
    isBroken = true;
    await expect(site.ask(ANNA)).rejects.toThrow("broken");
    isBroken = false;
    expect(await site.areFilled(ANNA)).toEqual([false]);
    expect(lines).toEqual([
      {
        level: "error",
        message: "a page's template could not be made",
        facts: { err: new Error("broken") },
      },
    ]);
  });

  it("and fails with what its loaders' data fail with", async () => {
    const page = () => ({
      get broken(): string {
        throw new Error("broken");
      },
    });
    const site = new Site({ page });
    await expect(site.ask(ANNA)).rejects.toThrow("broken");
    expect(site.calls.renders).toBe(0);
  });
});

describe("a template", () => {
  it("is kept for a minute, after which the next page makes another", async () => {
    const site = new Site();
    await site.areFilled(ANNA, ANNA);
    vi.advanceTimersByTime(59_999);
    expect(await site.areFilled(ANNA)).toEqual([true]);
    expect(site.calls.standIns).toBe(2);
    vi.advanceTimersByTime(1);
    expect(await site.areFilled(ANNA)).toEqual([true]);
    expect(site.calls.standIns).toBe(4);
  });

  it("is dropped with all others when they are out of date", async () => {
    const site = new Site();
    await site.areFilled(ANNA, ANNA);
    site.pages.clear();
    expect(await site.areFilled(ANNA, ANNA)).toEqual([false, true]);
    // the next one is kept as long as any
    vi.advanceTimersByTime(59_999);
    expect(await site.areFilled(ANNA)).toEqual([true]);
    expect(site.calls.standIns).toBe(4);
  });

  it("that is replaced is not dropped by the timer of the one before", async () => {
    const site = new Site();
    await site.areFilled(ANNA, ANNA);
    vi.advanceTimersByTime(30_000);
    site.pages.clear();
    await site.areFilled(ANNA, ANNA);
    vi.advanceTimersByTime(30_000);
    expect(await site.areFilled(ANNA)).toEqual([true]);
    expect(site.calls.standIns).toBe(4);
  });

  it("is made once for all who ask meanwhile", async () => {
    const site = new Site();
    await site.ask(ANNA);
    const asked = await Promise.all([ANNA, BEN, ANNA, BEN].map((reader) => site.ask(reader)));
    expect(asked.map(({ isFilled }) => isFilled)).toEqual([true, true, true, true]);
    expect(asked.map(({ text }) => text.includes(ANNA.email))).toEqual([true, false, true, false]);
    expect(site.calls.standIns).toBe(2);
  });

  it("that is being made while all are dropped is not kept", async () => {
    let go = () => {};
    let isHeld = false;
    const site = new Site({
      render: () =>
        new Promise((resolve) => {
          go = resolve;
          if (!isHeld) resolve();
        }),
    });
    await site.ask(ANNA);
    isHeld = true;
    const asked = site.ask(ANNA);
    await vi.waitFor(() => expect(site.calls.standIns).toBe(1));
    site.pages.clear();
    isHeld = false;
    go();
    expect((await asked).isFilled).toBe(true);
    expect(await site.areFilled(ANNA)).toEqual([false]);
    await site.ask(ANNA);
    expect(site.calls.standIns).toBe(4);
  });

  it("makes room for another beyond 300, if it was used longest ago", async () => {
    const site = new Site();
    const askTwice = async (path: string) => {
      await site.ask(ANNA, path);
      await site.ask(ANNA, path);
    };
    for (let number = 0; number < 300; number++) await askTwice(`/${number}`);
    // used now
    expect((await site.ask(ANNA, "/0")).isFilled).toBe(true);
    expect(site.calls.standIns).toBe(600);
    await askTwice("/300");
    expect(site.calls.standIns).toBe(602);
    await site.ask(ANNA, "/0");
    await site.ask(ANNA, "/2");
    expect(site.calls.standIns).toBe(602);
    await site.ask(ANNA, "/1");
    expect(site.calls.standIns).toBe(604);
  });

  it("is made of what has been asked for before, of the last 3,000 others", async () => {
    const site = new Site();
    for (let number = 0; number < 3_000; number++) await site.ask(ANNA, `/${number}`);
    expect((await site.ask(ANNA, "/0")).isFilled).toBe(true);
    // these do not fit any more
    await site.ask(ANNA, "/3000");
    expect((await site.ask(ANNA, "/1")).isFilled).toBe(false);
    expect((await site.ask(ANNA, "/3000")).isFilled).toBe(true);
  });
});

describe("the routes", () => {
  it("that are given to Remix load by themselves what was not loaded before", async () => {
    const site = new Site();
    const { layout, page } = site.pages.routes();
    expect(layout).toEqual({ module: {} });
    const load = page?.module.loader as ((args: object) => unknown) | undefined;
    const args = { request: new Request("http://book.test/"), context: {}, params: {} };
    expect(await load?.(args)).toEqual({ chapters: ["Gates", "Hills"] });
    expect(site.calls.page).toBe(1);
  });
});
