import { leaveOut } from "./leave-out.mjs";
import { mergeChunks } from "./merge-chunks.mjs";

/** What is the same on every page of the site (`app/shell/hydration/`, `remix.config.js`), so that the rest falls away. */
const KNOWN = {
  "window.__remixContext.isSpaMode": "false",
  "window.__remixContext.future.v3_singleFetch": "true",
};

/**
 * esbuild as Remix's compiler is to use it: the browser's scripts are built with parts left out, and merged into few
 * files. Other builds are esbuild's own.
 *
 * @template {typeof import("esbuild")} Esbuild
 * @param {Esbuild} esbuild
 * @param {string} root the project's folder
 * @returns {Esbuild}
 */
export function withSmallerScripts(esbuild, root) {
  return {
    ...esbuild,
    async context(/** @type {import("esbuild").BuildOptions} */ options) {
      if (!options.splitting) return esbuild.context(options);
      const { plugins = [], outdir = "", publicPath: url = "" } = options;
      const context = await esbuild.context({
        ...options,
        minify: false,
        define: { ...options.define, ...KNOWN },
        plugins: [leaveOut(), ...plugins],
      });
      return {
        cancel: () => context.cancel(),
        dispose: () => context.dispose(),
        async rebuild() {
          const { metafile, outputFiles = [], ...rest } = await context.rebuild();
          if (!metafile) throw new Error("Remix's compiler asked for no metafile.");
          return {
            ...rest,
            ...(await mergeChunks({ metafile, outputFiles }, { root, folder: outdir, url })),
          };
        },
      };
    },
  };
}
