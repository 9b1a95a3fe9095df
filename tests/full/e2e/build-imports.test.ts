import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The folders of packages whose files these are, as package-lock.json has them. */
const packagesOf = (files: string[]) => {
  const folders = files.map((file) => /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/.exec(file)?.[0]);
  return [...new Set(folders)].flatMap((folder) => folder?.slice(0, -1) ?? []).sort();
};

type Output = {
  inputs: Record<string, { bytesInOutput: number }>;
  imports: { path: string; kind: string }[];
};

/** esbuild's report on the server build: first by Remix's compiler, then by `bundle-server.mjs`. */
const outputOf = (metafile: string): Output =>
  JSON.parse(read(`build/${metafile}`)).outputs["build/index.js"];

const inputsOf = ({ inputs }: Output) =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);

const compiled = () => inputsOf(outputOf("metafile.server.json"));
const bundled = () => inputsOf(outputOf("metafile.bundle.json"));

it("the build imports only packages built for one platform", () => {
  const imported = outputOf("metafile.bundle.json")
    // packages work without the optional modules they try to require
    .imports.filter(({ path, kind }) => !isBuiltin(path) && kind !== "require-call")
    .map(({ path }) => path);
  expect([...new Set(imported)].sort()).toEqual(["argon2"]);
});

it("the build keeps the local Stripe in a separate file", () => {
  const stripes = (files: string[]) => files.filter((file) => file.includes("sandbox/stripe/"));
  expect(stripes([...compiled(), ...bundled()])).toEqual([]);
  const page = "Local test stand-in for Stripe.";
  expect(read("build/index.js")).not.toContain(page);
  expect(read("build/sandbox.js")).toContain(page);
});

it("the build contains no development packages but the mail components, without their dependencies", () => {
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
