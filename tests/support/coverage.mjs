import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf, MODULES } from "../mutation/modules.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Parameters with which Vitest measures the coverage of a run and stores it with its results in a file. */
export const coverageParameters = (/** @type {string} */ file) => [
  ...["--coverage", "--coverage.reporter=none"],
  ...["--reporter=blob", `--outputFile.blob=${file}`],
];

/** Parameters with which Vitest merges the runs stored in `folder`, and where it writes their coverage. */
export const mergeParameters = (/** @type {string} */ folder) => [
  ...["run", `--mergeReports=${folder}`, "--coverage", "--coverage.reporter=json-summary"],
  ...[`--coverage.reportsDirectory=${folder}`, "--reporter=json"],
  `--outputFile.json=${join(folder, "merged", "results.json")}`,
];

/**
 * One line for each module of the rules: the share of its lines, branches and functions that the merged runs
 * in `folder` have executed. A file that no test has loaded counts as not executed.
 *
 * @param {string} folder
 * @returns {string}
 */
export function coverageTable(folder) {
  /** @type {Record<string, Record<string, { total: number, covered: number }>>} */
  const summary = JSON.parse(readFileSync(join(folder, "coverage-summary.json"), "utf8"));
  const kinds = ["lines", "branches", "functions"];
  const rows = Object.entries(MODULES).map(([name, module]) => {
    const files = filesOf(module).map((file) => {
      const found = summary[join(root, file)];
      if (!found) throw new Error(`The coverage of ${file} has not been measured.`);
      return found;
    });
    const shares = kinds.map((kind) => {
      const sum = (/** @type {"total" | "covered"} */ of) =>
        files.reduce((all, file) => all + (file[kind]?.[of] ?? 0), 0);
      return `${((100 * sum("covered")) / sum("total")).toFixed(1)} %`;
    });
    return [name, ...shares];
  });
  return [["coverage", ...kinds], ...rows]
    .map(([name = "", ...cells]) =>
      [name.padEnd(12), ...cells.map((cell) => cell.padStart(10))].join(""),
    )
    .join("\n");
}
