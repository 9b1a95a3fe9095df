import { readFile } from "node:fs/promises";

/**
 * Bundles files of packages as they are edited here. Fails the build where one of them is no longer part of the bundle: after
 * an update of a package its edit has to follow.
 *
 * @param {string} name of the plugin
 * @param {Readonly<Record<string, (source: string) => string>>} edits by the file, below node_modules
 * @param {string} advice what to do if a file is missing, for the end of a message
 * @returns {import("esbuild").Plugin}
 */
export function editSources(name, edits, advice) {
  return {
    name,
    setup(build) {
      const files = Object.keys(edits).map((file) => file.replaceAll(/[.]/g, "\\."));
      const filter = new RegExp(`node_modules/(${files.join("|")})$`.replaceAll("/", "[\\\\/]"));
      /** @type {Set<string>} */
      const seen = new Set();
      build.onLoad({ filter }, async ({ path }) => {
        const file =
          path
            .split(/node_modules[\\/]/)
            .at(-1)
            ?.replaceAll("\\", "/") ?? "";
        seen.add(file);
        const source = await readFile(path, "utf8");
        return { contents: edits[file]?.(source) ?? source, loader: "js" };
      });
      build.onEnd(() => {
        const missing = Object.keys(edits).filter((file) => !seen.has(file));
        if (missing.length > 0)
          throw new Error(`${missing.join(", ")}: no longer in the bundle; ${advice}`);
      });
    },
  };
}
