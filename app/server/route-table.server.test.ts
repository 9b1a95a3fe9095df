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
      "/webhooks/stripe",
    ]);
  });

  it("answers health checks and scrapers without a page slot", () => {
    expect(declaring(({ pageSlot }) => pageSlot === false)).toEqual([
      "/healthz",
      "/metrics",
      "/readyz",
    ]);
  });

  it("gives every route a name in the metrics", () => {
    const names = declaring(({ metricsName }) => metricsName !== undefined);
    expect(names).toEqual([
      "/",
      "/account",
      "/account/confirmation",
      "/account/data.json",
      "/account/delete",
      "/account/email",
      "/account/email/confirm",
      "/account/email/undo",
      "/account/newsletter",
      "/account/passkeys",
      "/account/password",
      "/account/picture",
      "/account/sessions",
      "/account/verify",
      "/auth",
      "/auth/confirm-email",
      "/auth/forgot-password",
      "/auth/login",
      "/auth/passkey",
      "/auth/reset-password",
      "/auth/signup",
      "/avatars/:name",
      "/billing",
      "/billing/card",
      "/checkout",
      "/checkout/cancelled",
      "/checkout/success",
      "/community/connect",
      "/healthz",
      "/logout",
      "/metrics",
      "/newsletter",
      "/newsletter/:slug",
      "/newsletter/archive",
      "/newsletter/confirm",
      "/newsletter/images/:name",
      "/newsletter/unsubscribe",
      "/notice",
      "/podcast/:name",
      "/podcast/:token/:name",
      "/premium",
      "/premium/book.epub",
      "/premium/chapters",
      "/premium/chapters/:slug",
      "/premium/community",
      "/premium/extras/:slug",
      "/premium/listening",
      "/premium/media/:name",
      "/premium/notes",
      "/premium/notes.md",
      "/premium/notes/save",
      "/premium/podcast",
      "/premium/progress",
      "/premium/reading",
      "/premium/search",
      "/preview/:slug",
      "/preview/media/:name",
      "/readyz",
      "/webhooks/stripe",
    ]);
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

describe("the action of a resource route", () => {
  it("is found at its path", () => {
    const paths = Object.values(routes)
      .map((route) => `/${route?.path}`)
      .filter((path) => table.resourceActionOf(path))
      .sort();
    expect(paths).toEqual([
      "/account/confirmation",
      "/account/email",
      "/account/newsletter",
      "/account/passkeys",
      "/account/password",
      "/account/picture",
      "/account/sessions",
      "/auth/login",
      "/auth/passkey",
      "/auth/signup",
      "/billing",
      "/checkout",
      "/logout",
      "/newsletter",
      "/notice",
      "/premium/listening",
      "/premium/notes/save",
      "/premium/progress",
      "/premium/reading",
      "/webhooks/stripe",
    ]);
    expect(table.resourceActionOf("/newsletter")).toBe(
      routes["routes/newsletter/route"]?.module.action,
    );
  });

  it.each([
    // with a query, in another spelling, or for the data of a navigation, which are Remix's
    ["/newsletter?index"],
    ["/newsletter?utm_source=a"],
    ["/newsletter/"],
    ["/Newsletter"],
    ["/newsl%65tter"],
    ["/newsletter.data"],
    // a page, with an action and without
    ["/newsletter/unsubscribe"],
    ["/auth"],
    // without an action
    ["/healthz"],
    ["/nowhere"],
    ["/"],
    [""],
  ])("is not found at %s", (url) => {
    expect(table.resourceActionOf(url)).toBeNull();
  });

  it("is not a page's, nor one that an error page belongs to", () => {
    const [action, shown] = [() => null, () => null];
    const made = new RouteTable({
      resource: { id: "resource", path: "resource", module: { action } },
      parameter: { id: "parameter", path: "resources/:name", module: { action } },
      page: { id: "page", path: "page", module: { action, default: shown } },
      boundary: { id: "boundary", path: "boundary", module: { action, ErrorBoundary: shown } },
    } as unknown as Routes);
    const found = ["/resource", "/resources/:name", "/page", "/boundary"].map((path) =>
      made.resourceActionOf(path),
    );
    expect(found).toEqual([action, null, null, null]);
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

  it("may have a parameter, and then stands for any number of pages", () => {
    expect(
      ["/letters/stop", "/letters/a", "/issue.txt/1"].map((path) => made.isFixed(path)),
    ).toEqual([true, false, false]);
  });

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
