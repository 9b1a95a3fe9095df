import type { EntryContext, ServerBuild } from "@remix-run/node";
import { createRequestHandler } from "@remix-run/node";
import { Scripts } from "@remix-run/react";
import type { ReactNode } from "react";
import { beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import * as entryServer from "./entry.server";
import { useNonce } from "./shell/nonce";

beforeAll(() => setEnvironment({}));

/** A site of one page with this body. */
function siteOf(Content: () => ReactNode, loader: () => unknown = () => null) {
  function Root() {
    const nonce = useNonce();
    return (
      <html lang="en">
        <body>
          <Content />
          <Scripts nonce={nonce} />
        </body>
      </html>
    );
  }
  const build = {
    entry: { module: entryServer },
    routes: { root: { id: "root", path: "", module: { default: Root, loader } } },
    assets: {
      version: "1",
      url: "/build/manifest.js",
      entry: { module: "/build/entry.js", imports: [] },
      routes: { root: { id: "root", path: "", module: "/build/root.js", hasLoader: true } },
    } as unknown as EntryContext["manifest"],
    future: { v3_singleFetch: true },
    mode: "production",
    publicPath: "/build/",
    assetsBuildDirectory: "public/build",
    isSpaMode: false,
  } as unknown as ServerBuild;
  const handle = createRequestHandler(build, "production");
  return (signal?: AbortSignal) =>
    handle(new Request("http://localhost:3000/", { signal: signal ?? null }), { nonce: "abc" });
}

describe("a page", () => {
  it("embeds its data safely escaped", async () => {
    const open = siteOf(
      () => <p>Good morning</p>,
      () => ({ words: "</script><b>&amp;" }),
    );
    const html = await (await open()).text();
    expect(html).toMatch(/<\/body><\/html>$/);
    expect(html).toContain("\\u003c/script\\u003e\\u003cb\\u003e\\u0026amp;");
    for (const script of html.match(/<script\b[^>]*>/g) ?? []) {
      expect(script).toContain('nonce="abc"');
    }
  });

  it("is sent as it is, however large, and needs no script to be shown", async () => {
    const html = await (await siteOf(() => <p>{"golden ".repeat(20_000)}</p>)()).text();
    expect(html).toMatch(/<!DOCTYPE html><html lang="en"><body><p>golden /);
    expect(html).not.toContain("<template");
  });

  it("answers 500 if it cannot be rendered", async () => {
    const open = siteOf(() => {
      throw new Error("no such figure");
    });
    expect((await open()).status).toBe(500);
  });

  it("is aborted with its request before anything is rendered", async () => {
    const visitor = new AbortController();
    const open = siteOf(() => {
      queueMicrotask(() => visitor.abort());
      throw new Promise(() => {});
    });
    const answer = await open(visitor.signal);
    expect(await answer.text()).toBe("");
  });
});
