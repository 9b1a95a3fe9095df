import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { NATIVE_MODULES } from "./native-modules.mjs";

const root = resolve(import.meta.dirname, "../..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const packages: [string, { dev?: boolean; hasInstallScript?: boolean }][] = Object.entries(
  lock.packages,
);

const files = (path: string) =>
  readdirSync(join(root, path), { recursive: true, encoding: "utf8" });

/** Whether a package contains native code, prebuilt or to be compiled. */
const isNative = (path: string) =>
  existsSync(join(root, path)) &&
  files(path).some((file) => /\.node$|(^|\/)binding\.gyp$/.test(file));

describe("the native modules of the running site", () => {
  it("are all checked before a start", () => {
    const native = packages
      .filter(([path, { dev }]) => path !== "" && !dev && isNative(path))
      .map(([path]) => path.replace("node_modules/", ""));
    expect(native).toEqual(NATIVE_MODULES);
  });

  it("are pinned to one version, because a newer one may ship a binary that crashes an older Node.js", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const name of NATIVE_MODULES) expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("ship their binaries for Linux on x64 and arm64, with glibc and with musl", () => {
    for (const name of NATIVE_MODULES) {
      const shipped = files(`node_modules/${name}/prebuilds`).join("\n");
      for (const platform of ["linux-x64", "linux-arm64"]) {
        for (const libc of ["glibc", "musl"]) {
          expect(shipped).toMatch(new RegExp(`^${platform}/.*${libc}\\.node$`, "m"));
        }
      }
    }
  });
});
