/**
 * Regenerates the typeface files of `app/styles/typefaces/` from those of @fontsource, in the weights that the styles
 * use. Each face gets one file for the characters of the site's own texts, and one for all other Latin ones.
 * OpenDyslexic, whose license reserves its name to unmodified files, is copied. Run it by hand after a change to any of
 * those:
 *
 * node tests/tools/subset-typefaces.mjs
 *
 * `fonts.css` has the same lists of characters.
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

/** The rest of @fontsource's Latin unicode-range. */
const OTHERS = [
  ...[[0xa1, 0xff], [0x131], [0x152, 0x153], [0x2bb, 0x2bc], [0x2c6], [0x2da], [0x2dc], [0x2012]],
  ...[[0x201a], [0x201e], [0x2032, 0x2033], [0x2039, 0x203a], [0x2044], [0x20ac], [0x2122]],
]
  .flatMap(([first = 0, last = first]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
  )
  .filter((character) => !CHARACTERS.includes(character))
  .join("");

/** @type {{ name: string, file: string, axes: Record<string, { min: number, max: number }> }[]} */
const TYPEFACES = [
  {
    name: "fraunces",
    file: "fraunces-latin-opsz-normal.woff2",
    // above 72, at one pixel to a CSS pixel, FreeType drops hairlines: an "e" becomes a "c"
    axes: { wght: { min: 350, max: 700 }, opsz: { min: 9, max: 72 } },
  },
  {
    name: "inter",
    file: "inter-latin-wght-normal.woff2",
    axes: { wght: { min: 400, max: 700 } },
  },
];

for (const { name, file, axes } of TYPEFACES) {
  const source = dirname(require.resolve(`@fontsource-variable/${name}/package.json`));
  for (const { part, characters } of [
    { part: name, characters: CHARACTERS },
    { part: `${name}-others`, characters: OTHERS },
  ]) {
    const subset = await subsetFont(readFileSync(join(source, "files", file)), characters, {
      targetFormat: "woff2",
      variationAxes: axes,
    });
    writeFileSync(join(folder, `${part}.woff2`), subset);
    console.log(`${part}: ${subset.length} bytes`);
  }
  copyFileSync(join(source, "LICENSE"), join(folder, `${name}-license.txt`));
}

const source = dirname(require.resolve("@fontsource/opendyslexic/package.json"));
for (const [copy, file] of Object.entries({
  "opendyslexic.woff2": "files/opendyslexic-latin-400-normal.woff2",
  "opendyslexic-bold.woff2": "files/opendyslexic-latin-700-normal.woff2",
  "opendyslexic-license.txt": "LICENSE",
})) {
  copyFileSync(join(source, file), join(folder, copy));
}
