import type { ActionFunction, ServerBuild } from "@remix-run/node";
import type { OwnValues, RouteHandle } from "~/http/route-handle";
import { escapeRegExp } from "./escape-reg-exp";

type Routes = Pick<ServerBuild, "routes">["routes"];

const UNDECLARED: RouteHandle = {};

/** The routes that make up the page at a path, from the root down, and the path's parameters. */
export type PageRoute = {
  ids: readonly string[];
  params: Readonly<Record<string, string>>;
  /** What in the data of the last of the routes is its viewer's own. */
  ownValues?: (data: unknown) => OwnValues;
};

type Entry = { handle: RouteHandle; ids: readonly string[] };

/** What each route declares in its `handle`, looked up by request path. */
export class RouteTable {
  readonly #fixed = new Map<string, Entry>();
  readonly #patterns: (Entry & { pattern: RegExp; names: string[] })[] = [];
  readonly #resourceActions = new Map<string, ActionFunction>();
  /** The path that was last asked for, since a request's own is asked for several times. */
  #last = { path: "", handle: UNDECLARED };

  constructor(routes: Routes) {
    for (const route of Object.values(routes)) {
      if (!route) continue;
      const path = pathOf(route.id, routes);
      const { action, default: component, ErrorBoundary } = route.module;
      // Remix tells resource routes from pages in the same way
      const isResource = component === undefined && ErrorBoundary === undefined;
      if (action && isResource && !path.includes(":")) this.#resourceActions.set(path, action);
      const handle = route.module.handle as RouteHandle | undefined;
      if (!handle) continue;
      const entry = { handle, ids: idsOf(route.id, routes) };
      if (!path.includes(":")) this.#fixed.set(path, entry);
      else this.#patterns.push({ ...entry, pattern: patternOf(path), names: namesIn(path) });
    }
  }

  /** What the route at exactly this path declares; empty if there is no such route or it declares nothing. */
  handleOf(path: string): RouteHandle {
    if (path === this.#last.path) return this.#last.handle;
    const route = this.#fixed.get(path) ?? this.#patterns.find(({ pattern }) => pattern.test(path));
    this.#last = { path, handle: route?.handle ?? UNDECLARED };
    return this.#last.handle;
  }

  /**
   * The routes of the page at `url`, a path without a query, if its route declares that it may be filled in; null for
   * any other. An escaped path is not, since it is one of many spellings of a page's.
   */
  filledInOf(url: string): PageRoute | null {
    const { filledIn } = this.handleOf(url);
    if (!filledIn || url.includes("%")) return null;
    const { ownValues } = filledIn;
    const fixed = this.#fixed.get(url);
    if (fixed) return { ids: fixed.ids, ownValues, params: {} };
    for (const { pattern, names, ids } of this.#patterns) {
      const values = pattern.exec(url);
      if (!values) continue;
      return {
        ids,
        ownValues,
        params: Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? ""])),
      };
    }
    return null;
  }

  /**
   * The action of the resource route, which has no page, at `url`; null if there is none at exactly this path. A URL with
   * a query is left to Remix, which gives some parameters a meaning.
   */
  resourceActionOf(url: string): ActionFunction | null {
    return this.#resourceActions.get(url) ?? null;
  }

  /** Whether a path is that of one page, and not of any number of pages that a parameter tells apart. */
  isFixed(path: string): boolean {
    return this.#fixed.has(path);
  }

  /**
   * The cache key for `url`, a path and its query; null if the response is not cached. An escaped path is not,
   * since it is one of many spellings of a page's.
   */
  cacheKeyOf(url: string): string | null {
    const at = url.indexOf("?");
    const path = at === -1 ? url : url.slice(0, at);
    const { cached } = this.handleOf(path);
    if (!cached || path.includes("%")) return null;
    const search = at === -1 ? "" : url.slice(at);
    if (cached.searches.includes(search)) return url;
    return cached.ignoresOtherSearches ? path : null;
  }
}

function pathOf(id: string, routes: Routes): string {
  const segments: string[] = [];
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) {
    if (route.path) segments.unshift(route.path);
  }
  return `/${segments.join("/")}`;
}

/** A route and those it is nested in, from the root down. */
function idsOf(id: string, routes: Routes): string[] {
  const ids: string[] = [];
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) ids.unshift(route.id);
  return ids;
}

const namesIn = (path: string) =>
  path.split("/").flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));

function patternOf(path: string): RegExp {
  const segments = path.split("/").map((segment) => {
    // Remix answers requests for a page's data at the page's path with this ending
    if (segment.startsWith(":")) return "((?:(?!\\.data$)[^/])+)";
    return escapeRegExp(segment);
  });
  return new RegExp(`^${segments.join("/")}$`);
}
