/** @type {import("@remix-run/dev").AppConfig} */
export default {
  // The program is the server build: it re-exports Remix's build and starts itself only when run.
  server: "./app/main.ts",
  serverBuildPath: "build/index.js",
  serverModuleFormat: "esm",
  serverPlatform: "node",
  serverMinify: false,
  // Mail components, and what the entry of their package imports (docs/decisions/0022-mail-templates.md).
  serverDependenciesToBundle: ["react-email", "@react-email/render", "html5parser", /^entities\//],
  tailwind: false,
  postcss: true,
  watchPaths: ["./db"],
  ignoredRouteFiles: ["**/*.test.{ts,tsx}"],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    // it would match every prefix of a path: one of 15 KB keeps the server busy for seconds
    v3_lazyRouteDiscovery: false,
    v3_routeConfig: false,
  },
};
