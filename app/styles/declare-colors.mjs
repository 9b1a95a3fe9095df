import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const module = new URL("./colors.mjs", import.meta.url);
const file = fileURLToPath(module);

/**
 * A PostCSS plugin: declares each of the design's colors as a token in the style sheet's `@theme`. It reads them
 * anew each time, so that `npm run dev` shows an edit.
 *
 * @type {import("postcss").Plugin}
 */
export const declareColors = {
  postcssPlugin: "declare-colors",
  async Once(root, { result }) {
    const { mtimeMs } = await stat(file);
    /** @type {typeof import("./colors.mjs")} */
    const { COLORS } = await import(`${module.href}?${mtimeMs}`);
    root.walkAtRules("theme", (theme) => {
      for (const [name, value] of Object.entries(COLORS)) {
        theme.append({ prop: `--color-${name}`, value });
      }
    });
    result.messages.push({ type: "dependency", plugin: "declare-colors", file });
  },
};
