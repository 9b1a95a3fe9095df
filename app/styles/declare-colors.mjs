import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const module = new URL("./colors.mjs", import.meta.url);
const file = fileURLToPath(module);

/**
 * A PostCSS plugin: declares each of the design's colors as a token in the style sheet's `@theme`, and those that
 * differ by night in the rules of the themes. It reads them anew each time, so that `npm run dev` shows an edit.
 *
 * @type {import("postcss").Plugin}
 */
export const declareColors = {
  postcssPlugin: "declare-colors",
  async Once(root, { result }) {
    const { mtimeMs } = await stat(file);
    /** @type {typeof import("./colors.mjs")} */
    const { COLORS, NIGHT_COLORS } = await import(`${module.href}?${mtimeMs}`);
    root.walkAtRules("theme", (theme) => {
      for (const token of tokensOf(COLORS)) theme.append(token);
    });
    root.walkRules(/^\[data-theme=/, (rule) => {
      for (const token of tokensOf(NIGHT_COLORS)) rule.append(token);
    });
    result.messages.push({ type: "dependency", plugin: "declare-colors", file });
  },
};

/** @param {Record<string, string>} colors */
const tokensOf = (colors) =>
  Object.entries(colors).map(([name, value]) => ({ prop: `--color-${name}`, value }));
