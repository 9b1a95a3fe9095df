import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const isDebian = spawnSync("dpkg-query", ["--version"]).status === 0;

it.runIf(isDebian)("names what is in the image, from Debian to npm, with its license", () => {
  const { stdout, status } = spawnSync(process.execPath, ["app/tooling/list-licenses.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^libc6 \d/m);
  expect(stdout).toContain(`https://github.com/nodejs/node/blob/v${process.versions.node}/LICENSE`);
  expect(stdout).toMatch(/^=== PostgreSQL 18\..*\n\nPostgreSQL Database Management System$/m);
  expect(stdout).toMatch(/^\| libvips +\| LGPLv3 +\|$/m);
  const wanted = Object.keys(
    JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")).dependencies,
  );
  const missing = wanted.filter((name) => !stdout.includes(`\n${name} `));
  expect(missing).toEqual([]);
  // only for work on the program
  expect(stdout).not.toMatch(/^vitest /m);
  expect(stdout).not.toContain("undefined");
});
