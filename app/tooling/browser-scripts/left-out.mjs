/**
 * @typedef {object} Parts of a file
 * @property {Readonly<Record<string, string>>} [functions] what the body of a function or class becomes, by its name
 * @property {readonly string[]} [statements] the beginnings of statements that go
 * @property {Readonly<Record<string, string>>} [expressions] what expressions become
 */

/** The body of functions that run on the server only, or that serve features this site does not use. */
const NEVER = `throw new Error("left out of the browser's scripts");`;

/**
 * What Remix and React Router bring along and no page of this site runs, by file. What only that needed goes with it.
 * A page is hydrated once, with all of its data and the whole manifest. Forms are the browser's own, or posted by
 * `app/ui/post-json.ts`. So there are no submissions and fetchers, no deferred data, no loaders and actions in the
 * browser, no lazy discovery of routes, no prefetching, no blockers, no view transitions, and no hot replacement.
 * `app/architecture.test.ts` keeps the site to that.
 *
 * The build fails where a file no longer has what is named here. After an update of Remix each entry has to be read
 * beside the new sources.
 *
 * @type {Readonly<Record<string, Parts>>}
 */
export const LEFT_OUT = {
  "@remix-run/react/dist/esm/server.js": {
    functions: { RemixServer: NEVER },
    // a module in CommonJS, for whose sake esbuild would keep all of the router
    statements: ["import { createStaticRouter, StaticRouterProvider }"],
  },
  "@remix-run/react/dist/esm/browser.js": {
    statements: [
      // hot replacement
      "let hmrRouterReadyPromise =",
      "if (import.meta &&",
      "router.createRoutesForHMR =",
      "if (hmrRouterReadyResolve)",
      // lazy discovery
      "useFogOFWarDiscovery(",
    ],
    expressions: {
      "getPatchRoutesOnNavigationFunction(window.__remixManifest, window.__remixRouteModules, window.__remixContext.future, window.__remixContext.isSpaMode, window.__remixContext.basename)":
        "undefined",
      "shouldHydrateRouteLoader(manifestRoute, route, window.__remixContext.isSpaMode)": "false",
    },
  },
  "@remix-run/react/dist/esm/fog-of-war.js": {
    functions: { isFogOfWarEnabled: "return false;" },
  },
  "@remix-run/react/dist/esm/data.js": {
    // of requests other than GET
    functions: { createRequestInit: "return { signal: request.signal };" },
  },
  "@remix-run/react/dist/esm/errorBoundaries.js": {
    // a script for developers
    statements: ["let heyDeveloper ="],
    expressions: { ", heyDeveloper)": ")" },
  },
  "@remix-run/react/dist/esm/fallback.js": {
    // shown while loaders in the browser run
    functions: { RemixRootDefaultHydrateFallback: "return null;" },
  },
  "@remix-run/react/dist/esm/links.js": {
    // links with `page`, for prefetching
    functions: { isPageLinkDescriptor: "return false;" },
  },
  "@remix-run/react/dist/esm/single-fetch.js": {
    functions: { singleFetchActionStrategy: NEVER, singleFetchLoaderFetcherStrategy: NEVER },
    statements: [
      `if (["POST", "PUT", "PATCH", "DELETE"].includes(request.method))`,
      "if (fetcherKey)",
      "if (manifest.routes[m.route.id].hasClientLoader)",
      // a route's shouldRevalidate
      "if (m.route.id in router.state.loaderData && manifest.routes[m.route.id] &&",
      "if (foundOptOutRoute && routesParams.size > 0)",
    ],
    expressions: {
      " && !window.__remixHdrActive": "",
      // a navigation aborted by the next one while its answer arrives is no error
      "console.error(e);": "if (!init.signal.aborted) console.error(e);",
    },
  },
  "@remix-run/react/dist/esm/routes.js": {
    functions: {
      // of the time before single fetch
      fetchServerHandler: NEVER,
      unwrapServerResponse: "return result;",
      createClientRoutesWithHMRRevalidationOptOut: NEVER,
      getShouldRevalidateFunction: "",
      shouldHydrateRouteLoader: "return false;",
      preventInvalidServerHandlerCall: "",
      noActionDefinedError: "",
    },
    statements: [
      "dataRoute.action =",
      "if (!route.hasClientAction)",
      "if (mod.clientLoader)",
      "if (mod.clientAction)",
      "if (isSpaMode)",
    ],
  },
  "@remix-run/react/dist/esm/components.js": {
    functions: {
      usePrefetchBehavior: "return [false, null, {}];",
      PrefetchPageLinks: "return null;",
      DeferredHydrationScript: "return null;",
    },
    statements: [
      // on components that are not used, this alone would keep them
      "NavLink.displayName =",
      "Form.displayName =",
      // what the server writes into a page's scripts
      "let serializePreResolvedErrorImp =",
      "let serializePreresolvedDataImp =",
      "let serializeErrorImp =",
      "let serializeDataImp =",
      "contextScript += !activeDeferreds",
      "if (!isStatic && typeof __remixContext",
    ],
    expressions: { "!isStatic ?": "true ?", "staticContext ?": "false ?" },
  },
  "@remix-run/router/dist/router.js": {
    functions: {
      // prints to the console, in production too
      warning: "",
      // submissions and fetchers
      handleAction: NEVER,
      fetch: NEVER,
      handleFetcherAction: NEVER,
      handleFetcherLoader: NEVER,
      setFetcherError: "",
      updateFetcherState: "",
      getUpdatedRevalidatingFetchers: "",
      abortFetcher: "",
      markFetchersDone: "",
      markFetchRedirectsDone: "return false;",
      abortStaleFetchLoads: "return false;",
      getFetcher: NEVER,
      deleteFetcher: "",
      deleteFetcherAndUpdateState: "",
      normalizeNavigateOptions: "return { path };",
      createClientSideRequest:
        "return new Request(history.createURL(stripHashFromPath(location)).toString(), { signal });",
      // deferred data
      DeferredData: "",
      isDeferredData: "return false;",
      isDeferredResult: "return false;",
      cancelActiveDeferreds: "return [];",
      resolveNavigationDeferredResults: "",
      resolveFetcherDeferredResults: "",
      resolveDeferredData: "",
      // lazy discovery, and routes that change
      checkFogOfWar: "return { active: false, matches: null };",
      discoverRoutes: NEVER,
      patchRoutes: NEVER,
      patchRoutesImpl: "",
      _internalSetRoutes: NEVER,
      // blockers
      getBlocker: NEVER,
      deleteBlocker: "",
      updateBlocker: "",
      shouldBlockNavigation: "",
      // view transitions
      restoreAppliedTransitions: "",
      persistAppliedTransitions: "",
    },
    statements: [
      "fetchLoadMatches.forEach(",
      "revalidatingFetchers.forEach(",
      "if (revalidatingFetchers.length > 0)",
      "redirect = findRedirect(fetcherResults)",
      "activeDeferreds.forEach(",
      "fogOfWar.active = false",
      "if (blockerKey",
      // the view transition of a completed navigation
      "if (pendingAction === Action.Pop) {",
    ],
    expressions: {
      "fogOfWar.active && fogOfWar.matches": "false",
      "fogOfWar.active": "false",
      "if (isFogOfWar)": "if (false)",
      "if (!isFogOfWar)": "if (true)",
      "opts && opts.submission": "undefined",
      "opts && opts.pendingError": "false",
    },
  },
  "turbo-stream/dist/turbo-stream.mjs": {
    // the end of a stream, which nothing awaits: a navigation aborted by the next one reports an error there that
    // nothing handles
    expressions: {
      "done.reject(reason);": "",
      "done: donePromise.then(() => reader.closed),": "",
    },
  },
  "react-router/dist/index.js": {
    functions: {
      // the root has a boundary of its own
      DefaultErrorComponent: "return null;",
      logV6DeprecationWarnings: "",
    },
  },
  "react-router-dom/dist/index.js": {
    // view transitions
    statements: [
      "React.useEffect(() => {\n    if (vtContext.isTransitioning && !vtContext.flushSync)",
      "React.useEffect(() => {\n    if (renderDfd && pendingState && router.window)",
      "React.useEffect(() => {\n    if (renderDfd && pendingState && state.location.key",
      "React.useEffect(() => {\n    if (!vtContext.isTransitioning && interruption)",
    ],
    expressions: { "if (!viewTransitionOpts || isViewTransitionUnavailable)": "if (true)" },
  },
};
