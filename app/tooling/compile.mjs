// Builds the site: Remix's compiler, with smaller scripts for browsers (docs/decisions/0039-browser-scripts.md), and what
// follows it. `npm run dev` has Remix's compiler alone.
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { withSmallerScripts } from "./browser-scripts/smaller-scripts.mjs";
import { bundleSandbox } from "./bundle-sandbox.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(root);
// the plugins for styles ask for it too
process.env.NODE_ENV = "production";

await compile();
await import("./bundle-server.mjs");
await bundleSandbox();
await import("./trim-manifest.mjs");
await import("./precompress.mjs");

/** What `remix build` does. */
async function compile() {
  const require = createRequire(import.meta.url);
  const ofRemix = createRequire(require.resolve("@remix-run/dev/package.json"));
  ofRemix("esbuild");
  const loaded = ofRemix.cache[ofRemix.resolve("esbuild")];
  if (!loaded) throw new Error("Remix's compiler has no esbuild.");
  // the compiler takes no plugins, so that the esbuild beneath it is replaced, before it loads
  loaded.exports = withSmallerScripts(loaded.exports, root);

  const [{ create }, { createFileWatchCache }, { readConfig }, { logger }, { logThrown }] =
    await Promise.all([
      import("@remix-run/dev/dist/compiler/compiler.js"),
      import("@remix-run/dev/dist/compiler/fileWatchCache.js"),
      import("@remix-run/dev/dist/config.js"),
      import("@remix-run/dev/dist/tux/logger.js"),
      import("@remix-run/dev/dist/compiler/utils/log.js"),
    ]);
  const config = await readConfig(root);
  rmSync(config.assetsBuildDirectory, { recursive: true, force: true });
  const options = { mode: "production", sourcemap: false };
  const compiler = await create({
    config,
    options,
    fileWatchCache: createFileWatchCache(),
    logger,
  });
  try {
    await compiler.compile();
  } catch (error) {
    logThrown(error);
    process.exit(1);
  } finally {
    await compiler.dispose();
  }
}
