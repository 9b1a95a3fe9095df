import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";

/**
 * Puts the tests first that are likely to notice a mutant at the least cost: unit tests, then the files that
 * noticed the mutant before (its neighbour, as a rule), then the quickest. The first failure ends a run.
 */
export class FailingFirst extends BaseSequencer {
  /**
   * @override
   * @param {import("vitest/node").TestSpecification[]} files
   */
  async sort(files) {
    const { cache, config } = this.ctx;
    const rank = (/** @type {import("vitest/node").TestSpecification} */ { project, moduleId }) => {
      const last = cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`);
      return [project.name === "unit" ? 0 : 1, last?.failed ? 0 : 1, last?.duration ?? 0];
    };
    const ranked = files.map((file) => ({ file, rank: rank(file) }));
    ranked.sort((a, b) => {
      const differing = a.rank.findIndex((value, i) => value !== b.rank[i]);
      return differing === -1 ? 0 : (a.rank[differing] ?? 0) - (b.rank[differing] ?? 0);
    });
    return ranked.map(({ file }) => file);
  }
}
