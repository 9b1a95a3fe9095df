import { wcagContrast } from "culori";
import { describe, expect, it } from "vitest";
import { THEME_COLORS } from "~/ui/theme-colors";
import { COLORS, NIGHT_COLORS, SEPIA_COLORS } from "./colors.mjs";

const THEMES = {
  paper: COLORS,
  sepia: { ...COLORS, ...SEPIA_COLORS },
  night: { ...COLORS, ...NIGHT_COLORS },
} as const;

describe.each(Object.entries(THEMES))("the theme %s", (name, theme) => {
  it.each(["paper", "paper-deep", "field", "highlight"] as const)(
    "has readable text on %s",
    (on) => {
      for (const text of ["ink", "ink-soft", "gold-text", "destructive", "success"] as const) {
        expect(wcagContrast(theme[text], theme[on]), text).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it("has highlights on which ink keeps 7:1, and links 4.5:1", () => {
    for (const color of ["highlight-1", "highlight-2", "highlight-3", "highlight-4"] as const) {
      expect(wcagContrast(theme.ink, theme[color]), color).toBeGreaterThanOrEqual(7);
      expect(wcagContrast(theme["gold-text"], theme[color]), color).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("outlines controls with 3:1", () => {
    expect(wcagContrast(theme["line-strong"], theme.paper)).toBeGreaterThanOrEqual(3);
  });

  it("tints the browser in the color of its paper", () => {
    expect(THEME_COLORS[name as keyof typeof THEMES]).toBe(theme.paper);
  });
});
