import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { createRequestHandler, type EntryContext, type ServerBuild } from "@remix-run/node";
import { RemixBrowser, RemixServer, Scripts } from "@remix-run/react";
import { Children, Fragment, isValidElement, type ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { decodePageData } from "./decode-page-data";
import { inlineScripts } from "./inline-scripts.server";
import { InlineScriptsContext } from "./inline-scripts-context";
import { PageScripts } from "./page-scripts";

/**
 * A failure here means that Remix's output no longer has the form the site relies on, not that the site is
 * wrong.
 */
const reliedOn = (file: string, what: string) =>
  `${file} relies on ${what}. If an update of Remix has changed that, the file has to follow.`;

const SCRIPTS = "app/shell/hydration/page-scripts.tsx";
const TEXTS = "app/shell/hydration/inline-scripts.server.ts";
const DECODING = "app/shell/hydration/decode-page-data.ts";
const HAND_OFF = "app/entry.server.tsx";

/** Page data containing what could end a script or a string. */
const DATA = { words: "</script><!-- “Good morning” &\u2028 '\\" };

/** A build without routes, with the future flags that `Scripts` reads. */
const BUILD = {
  assets: {
    version: "1",
    url: "/build/manifest.js",
    entry: { module: "/build/entry.js", imports: ["/build/shared.js"] },
    routes: {
      root: {
        id: "root",
        path: "",
        module: "/build/root.js",
        imports: ["/build/shared.js", "/build/button.js"],
        hasLoader: true,
      },
    },
  },
  future: { v3_singleFetch: true, v3_lazyRouteDiscovery: false },
  mode: "production",
  publicPath: "/build/",
  assetsBuildDirectory: "public/build",
  isSpaMode: false,
};

/** The entry context for rendering a page that consists of this component. */
async function entryContext(Page: () => ReactNode, hmr?: { runtime: string }) {
  const given: EntryContext[] = [];
  const handleRequest = (_: Request, __: number, ___: Headers, context: EntryContext) => {
    given.push(context);
    return new Response();
  };
  const build = {
    ...BUILD,
    assets: { ...BUILD.assets, hmr },
    entry: { module: { default: handleRequest } },
    routes: { root: { id: "root", path: "", module: { default: Page, loader: () => DATA } } },
  } as unknown as ServerBuild;
  await createRequestHandler(build, "production")(new Request("http://localhost:3000/"));
  const [context] = given;
  if (!context) throw new Error("Remix did not ask for a render.");
  return context;
}

/** The inline scripts of a rendered page, in order. */
async function renderedScripts(context: EntryContext, pageData?: string): Promise<string[]> {
  const { pipe } = renderToPipeableStream(
    <InlineScriptsContext.Provider value={inlineScripts(pageData)}>
      <RemixServer context={context} url="http://localhost:3000/" nonce="abc" />
    </InlineScriptsContext.Provider>,
  );
  const html = await text(pipe(new PassThrough()));
  return [...html.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
}

/** What `Scripts` returns while a page is rendered. */
async function scripts(hmr?: { runtime: string }): Promise<Described[]> {
  let made: ReactNode;
  const { serverHandoffStream: _, ...context } = await entryContext(() => {
    made = Scripts({ nonce: "abc" });
    return made;
  }, hmr);
  await renderedScripts(context);
  return describeElements(made);
}

type Described = { type: unknown; props: Record<string, unknown> };

/** The elements of a tree with their props, fragments and arrays opened. */
function describeElements(node: ReactNode): Described[] {
  return Children.toArray(node).flatMap((child): Described[] => {
    if (!isValidElement<{ children?: ReactNode }>(child)) return [{ type: child, props: {} }];
    const { type, props } = child;
    return type === Fragment ? describeElements(props.children) : [{ type, props: { ...props } }];
  });
}

const html = (element: Described | undefined) =>
  (element?.props.dangerouslySetInnerHTML as { __html: string } | undefined)?.__html;

afterEach(() => vi.unstubAllGlobals());

describe("Scripts of Remix", () => {
  it("called as a function, returns the preloads, a script and a module script", async () => {
    const preload = (href: string) => ({ type: "link", props: { rel: "modulepreload", href } });
    const script = {
      nonce: "abc",
      suppressHydrationWarning: true,
      dangerouslySetInnerHTML: { __html: expect.any(String) },
    };
    expect(
      await scripts(),
      reliedOn(SCRIPTS, "the elements that Scripts() returns, their order and their props"),
    ).toEqual([
      preload("/build/manifest.js"),
      preload("/build/entry.js"),
      preload("/build/shared.js"),
      preload("/build/button.js"),
      preload("/build/root.js"),
      { type: "script", props: script },
      { type: "script", props: { ...script, type: "module", async: true } },
    ]);
  });

  it("sets the context up in the first script, with a stream for the data", async () => {
    const [first] = (await scripts()).filter(({ type }) => type === "script");
    expect(
      html(first),
      reliedOn(TEXTS, "window.__remixContext.streamController, made by the first script"),
    ).toMatch(
      /^window\.__remixContext = \{.*\};window\.__remixContext\.stream = new ReadableStream\(\{start\(controller\)\{window\.__remixContext\.streamController = controller;\}\}\)\.pipeThrough\(new TextEncoderStream\(\)\);$/,
    );
  });

  it("imports everything with statements of these forms, at the start of lines", async () => {
    const [, modules] = (await scripts()).filter(({ type }) => type === "script");
    expect(
      html(modules),
      reliedOn(TEXTS, "the text of the module script, whose imports it makes dynamic ones"),
    ).toBe(
      [
        'import "/build/manifest.js";',
        'import * as route0 from "/build/root.js";',
        "",
        'window.__remixRouteModules = {"root":route0};',
        "",
        'import("/build/entry.js");',
      ].join("\n"),
    );
  });

  it("has two imports on the first line of a development build", async () => {
    const [, modules] = (await scripts({ runtime: "/build/hmr.js" })).filter(
      ({ type }) => type === "script",
    );
    expect(
      html(modules)?.split("\n")[0],
      reliedOn(TEXTS, "the text of a development build's module script"),
    ).toBe('import "/build/hmr.js";import "/build/manifest.js";');
  });
});

describe("RemixServer", () => {
  it("writes the data into the stream's controller in chunks, and closes it", async () => {
    const context = await entryContext(() => <Scripts nonce="abc" />);
    const [kept, sent] = context.serverHandoffStream?.tee() ?? [];
    const data = await new Response(kept).text();
    const handedOver = (await renderedScripts({ ...context, serverHandoffStream: sent }))
      .filter((script) => script.startsWith("window.__remixContext.streamController"))
      .join("\n");
    expect(data, reliedOn(HAND_OFF, "serverHandoffStream, the data as text")).toContain("Good mor");
    const [, quoted = '""'] =
      /^window\.__remixContext\.streamController\.enqueue\((".*")\);\nwindow\.__remixContext\.streamController\.close\(\);$/.exec(
        handedOver,
      ) ?? [];
    expect(
      JSON.parse(quoted),
      reliedOn(TEXTS, "enqueue(text) and close() being all that happens to streamController"),
    ).toBe(data);
  });

  it("writes no data without a stream", async () => {
    const { serverHandoffStream: _, ...context } = await entryContext(() => (
      <Scripts nonce="abc" />
    ));
    expect(
      await renderedScripts(context),
      reliedOn(HAND_OFF, "RemixServer leaving the data out when serverHandoffStream is taken away"),
    ).toHaveLength(2);
  });
});

describe("RemixBrowser", () => {
  it("called as a function, throws a promise that resolves once the page's data is decoded", async () => {
    const { serverHandoffStream, ...context } = await entryContext(() => (
      <PageScripts nonce="abc" />
    ));
    const pageData = await new Response(serverHandoffStream).text();
    const [first = ""] = await renderedScripts(context, pageData);
    const window: { __remixContext?: { state: unknown } } = {};
    new Function("window", first)(window);
    vi.stubGlobal("window", window);

    let thrown: unknown;
    try {
      RemixBrowser({});
    } catch (error) {
      thrown = error;
    }
    expect(
      thrown,
      reliedOn(DECODING, "RemixBrowser throwing a promise before its first hook"),
    ).toBeInstanceOf(Promise);
    await decodePageData();
    expect(
      window.__remixContext?.state,
      reliedOn(DECODING, "window.__remixContext.state holding the data once that promise is kept"),
    ).toMatchObject({ loaderData: { root: DATA } });
  });
});
