/**
 * Regenerates the two typeface files of `app/styles/typefaces/` from those of @fontsource, with only the
 * characters of the site's own texts, in the weights its styles use. Run by hand after one of those has changed:
 *
 *   node tests/tools/subset-typefaces.mjs
 *
 * `fonts.css` has the same list of characters, and uses the complete files for all others.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";

const folder = fileURLToPath(new URL("../../app/styles/typefaces", import.meta.url));
const require = createRequire(import.meta.url);

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at));
const CHARACTERS = `${ascii.join("")}\u00a0©·×–—‘’“”•…→`;

const TYPEFACES = [
  { name: "fraunces", file: "fraunces-latin-opsz-normal.woff2", weights: { min: 350, max: 700 } },
  { name: "inter", file: "inter-latin-wght-normal.woff2", weights: { min: 400, max: 700 } },
];

for (const { name, file, weights } of TYPEFACES) {
  const source = dirname(require.resolve(`@fontsource-variable/${name}/package.json`));
  const subset = await subsetFont(readFileSync(join(source, "files", file)), CHARACTERS, {
    targetFormat: "woff2",
    variationAxes: { wght: weights },
  });
  writeFileSync(join(folder, `${name}.woff2`), subset);
  copyFileSync(join(source, "LICENSE"), join(folder, `${name}-license.txt`));
  console.log(`${name}: ${subset.length} bytes`);
}
