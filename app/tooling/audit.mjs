// `npm run audit`: writes the SBOM of the image and reports known advisories.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { npmCommand } from "./npm.mjs";
import { makeSbom, sbomObstacle } from "./sbom.mjs";
import { withShippedProject } from "./shipped-project.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LEVELS = ["low", "moderate", "high", "critical"];

/** Status codes of a registry that does not offer advisories. */
const NOT_OFFERED = [404, 405, 410, 501];

/**
 * @typedef {{ severity: string, name: string, range: string, title: string, url: string }} Advisory
 * @typedef {Record<string, { via: (Advisory | string)[] }>} Vulnerabilities by the affected package; a word
 *   in `via` names a package that is affected only because it depends on another
 * @typedef {object} NpmAnswer what `npm audit --json` prints: a report, or why there is none
 * @property {Vulnerabilities} [vulnerabilities]
 * @property {number} [statusCode] the registry's
 * @property {string} [message]
 * @property {{ summary?: string }} [error]
 */

const EXIT = { clean: 0, advisories: 1, unknown: 2 };

const { values } = parseArgs({
  options: {
    level: { type: "string", default: "high" },
    cpu: { type: "string", default: process.arch },
    output: { type: "string", default: join(root, "sbom.cdx.json") },
  },
});

const obstacle = LEVELS.includes(values.level)
  ? sbomObstacle()
  : `--level is one of ${LEVELS.join(", ")}.`;
if (obstacle === null) {
  await writeSbom();
  process.exitCode = reportAdvisories(await withShippedProject(root, values.cpu, askForAdvisories));
} else {
  console.error(obstacle);
  process.exitCode = EXIT.unknown;
}

async function writeSbom() {
  const file = resolve(values.output);
  const sbom = await makeSbom(root, values.cpu);
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(
    `What ships in the image for linux-${values.cpu}: ${sbom.components.length} components, in ${file}`,
  );
}

/**
 * npm's output: a report, or why there is none.
 *
 * @param {string} cwd the folder of a package-lock.json
 * @returns {NpmAnswer}
 */
function askForAdvisories(cwd) {
  const [command, ...start] = npmCommand();
  const { stdout, error } = spawnSync(
    command,
    // --audit, because it may be disabled for installations
    [...start, "audit", "--audit", "--package-lock-only", "--json"],
    {
      cwd,
      encoding: "utf8",
      maxBuffer: 64 * 1024 ** 2,
      stdio: ["ignore", "pipe", "ignore"],
      shell: start.length === 0 && process.platform === "win32",
    },
  );
  if (error) return { message: error.message };
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: "npm gave no report" };
  }
}

/**
 * Prints one line per advisory, or why there are none; returns the exit code.
 *
 * @param {NpmAnswer} answer
 * @returns {number}
 */
function reportAdvisories({ vulnerabilities, statusCode, message, error }) {
  if (vulnerabilities === undefined) {
    if (statusCode !== undefined && NOT_OFFERED.includes(statusCode)) {
      console.log("Advisories: this npm registry does not offer any, so nothing is known.");
      return EXIT.clean;
    }
    const reason = message ?? error?.summary ?? "npm gave no report";
    console.error(`Advisories: the npm registry could not be asked (${reason}).`);
    return EXIT.unknown;
  }
  const advisories = listAdvisories(vulnerabilities);
  for (const { severity, name, range, title, url } of advisories) {
    console.log(`${severity.padEnd(8)}  ${name} ${range}: ${title} (${url})`);
  }
  const rank = LEVELS.indexOf(values.level);
  const severe = advisories.filter(({ severity }) => LEVELS.indexOf(severity) >= rank);
  console.log(
    `Advisories: ${advisories.length} in all, ${severe.length} of level ${values.level} or above.`,
  );
  return severe.length > 0 ? EXIT.advisories : EXIT.clean;
}

/**
 * Each advisory once, most severe first; packages that merely depend on an affected one repeat it.
 *
 * @param {Vulnerabilities} vulnerabilities
 */
function listAdvisories(vulnerabilities) {
  const all = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via !== "string");
  const byUrl = new Map(all.map((advisory) => [`${advisory.name} ${advisory.url}`, advisory]));
  return [...byUrl.values()].sort(
    (a, b) => LEVELS.indexOf(b.severity) - LEVELS.indexOf(a.severity),
  );
}
