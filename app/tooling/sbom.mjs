import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmCommand } from "./npm.mjs";

/**
 * A package in `package-lock.json`.
 *
 * @typedef {{ dev?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockEntry
 */

/**
 * The software bill of materials of the image, in CycloneDX's JSON: the base image by its digest and every
 * package that `npm ci --omit=dev` installs on this platform of the image ("x64" or "arm64", on Linux).
 *
 * @param {string} root the folder of package.json
 * @param {string} cpu
 * @returns {{ components: { name: string, version: string, purl: string }[] }}
 */
export function makeSbom(root, cpu) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-sbom-"));
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    // npm names the project after its folder
    const project = join(folder, manifest.name);
    mkdirSync(project);
    writeShippedProject(root, project, manifest, cpu);
    const [command, ...start] = npmCommand();
    const text = execFileSync(
      command,
      [
        ...[...start, "sbom", "--package-lock-only"],
        ...["--sbom-format=cyclonedx", "--sbom-type=application"],
      ],
      {
        cwd: project,
        encoding: "utf8",
        maxBuffer: 64 * 1024 ** 2,
        stdio: ["ignore", "pipe", "inherit"],
        shell: start.length === 0 && process.platform === "win32",
      },
    );
    const sbom = JSON.parse(text);
    // npm 10 lists a package once per location
    sbom.components = uniqueBy("bom-ref", [baseImage(root), ...sbom.components]);
    sbom.dependencies = uniqueBy("ref", sbom.dependencies);
    return sbom;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A project that consists of exactly what ships. `npm sbom --omit=dev` does not work: it also leaves out
 * every package that a development package needs, such as all of Remix's.
 *
 * @param {string} root
 * @param {string} project
 * @param {{ devDependencies?: object }} manifest
 * @param {string} cpu
 */
function writeShippedProject(root, project, manifest, cpu) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const ships = (/** @type {[string, LockEntry]} */ [path, entry]) =>
    path === "" ||
    (!entry.dev &&
      (!entry.os || entry.os.includes("linux")) &&
      (!entry.cpu || entry.cpu.includes(cpu)) &&
      (!entry.libc || entry.libc.includes("glibc")));
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(ships));
  const { devDependencies: _, ...production } = manifest;
  delete packages[""].devDependencies;
  writeFileSync(join(project, "package.json"), JSON.stringify(production));
  writeFileSync(join(project, "package-lock.json"), JSON.stringify({ ...lock, packages }));
}

/**
 * @param {string} field
 * @param {Record<string, unknown>[]} entries
 */
function uniqueBy(field, entries) {
  return [...new Map(entries.map((entry) => [entry[field], entry])).values()];
}

/** @param {string} root */
function baseImage(root) {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const { name, tag, digest } =
    /^FROM (?<name>[^\s:@]+):(?<tag>[^\s@]+)@sha256:(?<digest>[0-9a-f]{64})/m.exec(dockerfile)
      ?.groups ?? {};
  if (digest === undefined)
    throw new Error("The Dockerfile does not pin its base image by digest.");
  const purl = `pkg:oci/${name}@sha256%3A${digest}?repository_url=docker.io/library/${name}&tag=${tag}`;
  return {
    "bom-ref": purl,
    type: "container",
    name,
    version: tag,
    purl,
    hashes: [{ alg: "SHA-256", content: digest }],
  };
}
