import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const module = new URL("./colors.mjs", import.meta.url);
const file = fileURLToPath(module);

/**
 * A PostCSS plugin: declares each of the design's colors as a token in the style sheet's `@theme`, and those that
 * differ between themes in the rules of the themes. It reads them anew each time, so that `npm run dev` shows an edit.
 *
 * @type {import("postcss").Plugin}
 */
export const declareColors = {
  postcssPlugin: "declare-colors",
  async Once(root, { result }) {
    const { mtimeMs } = await stat(file);
    /** @type {typeof import("./colors.mjs")} */
    const { COLORS, SEPIA_COLORS, NIGHT_COLORS } = await import(`${module.href}?${mtimeMs}`);
    root.walkAtRules("theme", (theme) => {
      for (const token of tokensOf(COLORS)) theme.append(token);
    });
    const changing = Object.entries(COLORS).filter(([name]) => name in NIGHT_COLORS);
    for (const [theme, colors] of Object.entries({
      paper: Object.fromEntries(changing),
      sepia: SEPIA_COLORS,
      night: NIGHT_COLORS,
      device: NIGHT_COLORS,
    })) {
      root.walkRules(`[data-theme="${theme}"]`, (rule) => {
        for (const token of tokensOf(colors)) rule.append(token);
      });
    }
    result.messages.push({ type: "dependency", plugin: "declare-colors", file });
  },
};

/** @param {Record<string, string>} colors */
const tokensOf = (colors) =>
  Object.entries(colors).map(([name, value]) => ({ prop: `--color-${name}`, value }));
