import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerBuild } from "@remix-run/node";
import { beforeAll, describe, expect, it } from "vitest";
import type { RouteHandle } from "~/http/route-handle";
import { RouteTable } from "./route-table.server";

type Routes = ServerBuild["routes"];

const routesFolder = join(import.meta.dirname, "../routes");

/** The site's own routes as in Remix's build; a folder name is a path. */
async function ownRoutes(): Promise<Routes> {
  const routes: Record<string, unknown> = { root: { id: "root", path: "", module: {} } };
  for (const folder of readdirSync(routesFolder)) {
    const id = `routes/${folder}/route`;
    const path = folder
      .replace(/^_index$|^\$$/, "")
      .replace(/\[\.\]|\./g, (dot) => (dot === "." ? "/" : "."))
      .replace(/_(?=\/|$)/g, "")
      .replace(/(^|\/)\$/g, "$1:");
    const module = await import(`../routes/${folder}/route.tsx`);
    routes[id] = { id, parentId: "root", path, module };
  }
  return routes as Routes;
}

let routes: Routes;
let table: RouteTable;

beforeAll(async () => {
  routes = await ownRoutes();
  table = new RouteTable(routes);
}, 60_000);

/** The paths of the routes whose handle matches. */
function declaring(what: (handle: RouteHandle) => boolean): string[] {
  return Object.values(routes)
    .filter((route) => route?.module.handle && what(route.module.handle as RouteHandle))
    .map((route) => `/${route?.path}`)
    .sort();
}

describe("what the routes declare", () => {
  it("exempts health checks and machine endpoints from the host check", () => {
    expect(declaring(({ hostCheck }) => hostCheck === false)).toEqual([
      "/healthz",
      "/metrics",
      "/readyz",
      "/webhooks/stripe",
    ]);
  });

  it("exempts endpoints that other programs post to from the origin check", () => {
    expect(declaring(({ originCheck }) => originCheck === false)).toEqual([
      "/newsletter/unsubscribe",
      "/webhooks/mail",
      "/webhooks/stripe",
    ]);
  });

  it("lets other sites' pages show public pictures, and sounds whose address is their key", () => {
    expect(declaring(({ embeddable }) => embeddable === true)).toEqual([
      "/favicon.ico",
      "/newsletter/images/:name",
      "/podcast/:token/:name",
      "/preview/media/:name",
      "/site-files/:name",
    ]);
  });

  it("answers health checks at once, and what waits for another service or takes long", () => {
    const paths = declaring(({ inTurn }) => inTurn === false);
    // of the desk they count for authors alone
    expect(paths.filter((path) => !path.startsWith("/desk"))).toEqual([
      "/billing",
      "/checkout/success",
      "/favicon.ico",
      "/healthz",
      "/metrics",
      "/premium/book.epub",
      "/readyz",
      "/site-files/:name",
    ]);
  });

  it("gives a route a name in the metrics", () => {
    expect(table.handleOf("/auth/login").metricsName).toBe("/auth");
    expect(table.handleOf("/robots.txt").metricsName).toBeUndefined();
  });

  it.each([
    ["/", "/"],
    ["/?utm_source=a", "/"],
    ["/?", "/"],
    ["/auth", "/auth"],
    ["/auth?tab=signup", "/auth?tab=signup"],
    ["/robots.txt", "/robots.txt"],
    ["/sitemap.xml", "/sitemap.xml"],
    ["/newsletter/archive", "/newsletter/archive"],
    ["/newsletter/archive?utm_source=a", "/newsletter/archive"],
    ["/newsletter/feed.xml", "/newsletter/feed.xml"],
    ["/newsletter/the-first-mile", "/newsletter/the-first-mile"],
    ["/newsletter/the-first-mile?fbclid=a", "/newsletter/the-first-mile"],
    // one page has any number of spellings with escapes
    ["/newsletter/the-first-mil%65", null],
    ["/newsletter/the-first-mile.data", null],
    ["/newsletter/the-first-mile.data?_routes=root", null],
    ["/newsletter/the-first-mile/", null],
    ["/newsletter/unsubscribe?token=a", null],
    ["/newsletter/confirm?token=a", null],
    ["/newsletter/images/a.png", null],
    ["/robots.txt?x", null],
    ["/auth/", null],
    ["/auth?", null],
    ["/auth?tab=login", null],
    ["/auth?tab=signup&x", null],
    ["/_root.data", null],
    ["//", null],
    ["/premium", null],
    ["/billing/card", null],
    ["/checkout/success", null],
    ["/nowhere", null],
  ])("has the answer to %s cached under %s", (url, key) => {
    expect(table.cacheKeyOf(url)).toBe(key);
  });
});

describe("a route", () => {
  const handle: RouteHandle = { originCheck: false };
  const made = new RouteTable({
    root: { id: "root", path: "", module: {} },
    letters: { id: "letters", parentId: "root", path: "letters", module: {} },
    letter: { id: "letter", parentId: "letters", path: ":name", module: { handle } },
    issue: { id: "issue", parentId: "root", path: "issue.txt/:name", module: { handle } },
    stop: { id: "stop", parentId: "letters", path: "stop", module: { handle } },
  } as unknown as Routes);

  it.each(["/letters/stop", "/letters/a-b", "/issue.txt/1"])("is found at %s", (path) => {
    expect(made.handleOf(path)).toBe(handle);
  });

  it.each([
    "/letters/stop/",
    "/letters/stop.data/x",
    "/letters/a.data",
    "/letters",
    "/stop",
    "/letters/a/b",
    "/issue-txt/1",
    "/",
  ])("is not found at %s", (path) => {
    expect(made.handleOf(path)).toEqual({});
  });
});
