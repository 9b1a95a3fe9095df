import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { npmCommand, npmMajor } from "./npm.mjs";
import { withShippedProject } from "./shipped-project.mjs";

/** The first npm that can list what is installed in CycloneDX. Debian 13's Node 20 comes with 9. */
const FIRST_NPM_WITH_SBOM = 10;

/**
 * Why `makeSbom` cannot work here, and what to do; null if it can.
 *
 * @returns {string | null}
 */
export function sbomObstacle() {
  const major = npmMajor();
  if (major >= FIRST_NPM_WITH_SBOM) return null;
  return `The SBOM needs npm ${FIRST_NPM_WITH_SBOM} or newer, and this is npm ${major}: install one by 'npm install --global npm@${FIRST_NPM_WITH_SBOM}'.`;
}

/**
 * The software bill of materials of the image, in CycloneDX's JSON: the base image by its digest and every
 * package that ships for this platform of the image ("x64" or "arm64", on Linux). Only where there is no `sbomObstacle`.
 *
 * @param {string} root the folder of package.json
 * @param {string} cpu
 * @returns {Promise<{ components: { name: string, version: string, purl: string }[] }>}
 */
export async function makeSbom(root, cpu) {
  const [command, ...start] = npmCommand();
  const text = await withShippedProject(root, cpu, (cwd) =>
    execFileSync(
      command,
      [
        ...[...start, "sbom", "--package-lock-only"],
        ...["--sbom-format=cyclonedx", "--sbom-type=application"],
      ],
      {
        cwd,
        encoding: "utf8",
        maxBuffer: 64 * 1024 ** 2,
        stdio: ["ignore", "pipe", "inherit"],
        shell: start.length === 0 && process.platform === "win32",
      },
    ),
  );
  const sbom = JSON.parse(text);
  // npm 10 lists a package once per location
  sbom.components = uniqueBy("bom-ref", [baseImage(root), ...sbom.components]);
  sbom.dependencies = uniqueBy("ref", sbom.dependencies);
  return sbom;
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
