import type { ServerBuild } from "@remix-run/node";
import type { RouteHandle } from "~/http/route-handle";
import { escapeRegExp } from "./escape-reg-exp";

type Routes = Pick<ServerBuild, "routes">["routes"];

/** The `handle` of each route, looked up by request path. */
export class RouteTable {
  readonly #fixed = new Map<string, RouteHandle>();
  readonly #patterns: { pattern: RegExp; handle: RouteHandle }[] = [];

  constructor(routes: Routes) {
    for (const route of Object.values(routes)) {
      if (!route) continue;
      const path = pathOf(route.id, routes);
      const handle = route.module.handle as RouteHandle | undefined;
      if (!handle) continue;
      if (path.includes(":")) this.#patterns.push({ pattern: patternOf(path), handle });
      else this.#fixed.set(path, handle);
    }
  }

  /** The `handle` of the route at exactly this path; empty if there is no such route or it declares nothing. */
  handleOf(path: string): RouteHandle {
    const fixed = this.#fixed.get(path);
    return fixed ?? this.#patterns.find(({ pattern }) => pattern.test(path))?.handle ?? {};
  }

  /**
   * The cache key for `url`, a path and its query; null if the response is not cached. An escaped path is not cached,
   * since a page has many of them.
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

function patternOf(path: string): RegExp {
  const segments = path.split("/").map((segment) => {
    // Remix answers requests for a page's data at the page's path with this ending
    if (segment.startsWith(":")) return "(?:(?!\\.data$)[^/])+";
    return escapeRegExp(segment);
  });
  return new RegExp(`^${segments.join("/")}$`);
}
