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

describe("the program that makes pictures", () => {
  it("is in the container, with what it reads", () => {
    const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const program = imports["#picture-process"].replace("./", "");
    expect(existsSync(join(root, program))).toBe(true);
    const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
    expect(dockerfile).toContain(`COPY --from=build /app/${program} ${program}`);
    const unneeded = /-regex '([^']+)'/.exec(dockerfile)?.[1] ?? "";
    const loaded = ["sharp/dist", "@img"].flatMap((folder) => files(`node_modules/${folder}`));
    const needed = loaded.filter((file) => /\.(node|cjs|mjs|json)$|\.so\b/.test(file));
    expect(needed.length).toBeGreaterThan(10);
    expect(needed.filter((file) => new RegExp(`^${unneeded}$`).test(file))).toEqual([]);
  });
});

describe("the native modules of the running site", () => {
  it("are all checked before a start", () => {
    const native = packages
      .filter(([path, { dev }]) => path !== "" && !dev && isNative(path))
      .map(([path]) => path.replace("node_modules/", ""))
      // sharp's binary for this machine is a package of its own
      .map((name) => (name.startsWith("@img/sharp-") ? "sharp" : name));
    expect([...new Set(native)].sort()).toEqual(NATIVE_MODULES);
  });

  it("ship their binaries for Linux on x64 and arm64, with glibc and with musl", () => {
    const shipped = files("node_modules/argon2/prebuilds").join("\n");
    for (const platform of ["linux-x64", "linux-arm64"]) {
      for (const libc of ["glibc", "musl"]) {
        expect(shipped).toMatch(new RegExp(`^${platform}/.*${libc}\\.node$`, "m"));
      }
    }
    for (const platform of ["linux-x64", "linux-arm64", "linuxmusl-x64", "linuxmusl-arm64"]) {
      for (const name of [`@img/sharp-${platform}`, `@img/sharp-libvips-${platform}`]) {
        expect(lock.packages[`node_modules/${name}`]).toMatchObject({ optional: true });
      }
    }
  });
});
