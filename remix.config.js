/** @type {import("@remix-run/dev").AppConfig} */
export default {
  // The program is the server build: it re-exports Remix's build and starts itself only when run.
  server: "./app/main.ts",
  serverBuildPath: "build/index.js",
  serverModuleFormat: "esm",
  serverPlatform: "node",
  serverMinify: false,
  tailwind: false,
  postcss: true,
  watchPaths: ["./db"],
  ignoredRouteFiles: ["**/*.test.{ts,tsx}"],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: false,
    v3_routeConfig: false,
  },
};
