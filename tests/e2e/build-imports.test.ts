import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The folders of packages whose files these are, as package-lock.json has them. */
const packagesOf = (files: string[]) => {
  const folders = files.map((file) => /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/.exec(file)?.[0]);
  return [...new Set(folders)].flatMap((folder) => folder?.slice(0, -1) ?? []).sort();
};

/** What Remix's compiler has put into the server build. */
const compiled = (): string[] => {
  const { inputs } = JSON.parse(read("build/metafile.server.json")).outputs["build/index.js"];
  return Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0);
};

/** What `bundle-server.mjs` has added to it. */
const bundled = () =>
  [...read("build/index.js").matchAll(/^ *\/\/ (node_modules\/.*\.(?:[cm]?js|json))$/gm)].map(
    ([, file = ""]) => file,
  );

it("the build imports no package but those that are programs for one platform", () => {
  const imported = [
    ...read("build/index.js").matchAll(
      /^(?:import|export) (?:[^;"]*? from )?"([^"]+)";|\bimport\("([^"./][^"]*)"\)/gm,
    ),
  ]
    .map(([, stated, dynamic]) => stated ?? dynamic ?? "")
    .filter((name) => !isBuiltin(name));
  expect([...new Set(imported)].sort()).toEqual(["#runtime-setup", "argon2"]);
});

it("the build contains no development package but the mail components, without what they bring along", () => {
  const { packages } = JSON.parse(read("package-lock.json"));
  const added = packagesOf(bundled());
  expect(added).toContain("node_modules/stripe");
  expect(added.filter((path) => packages[path]?.dev !== undefined)).toEqual([]);
  expect(added.filter((path) => !(path in packages))).toEqual([]);
  expect(packagesOf(compiled())).toEqual([
    "node_modules/@react-email/render",
    "node_modules/entities",
    "node_modules/react-email",
  ]);
});
