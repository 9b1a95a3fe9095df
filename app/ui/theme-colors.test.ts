import { expect, it } from "vitest";
import { COLORS, NIGHT_COLORS } from "~/styles/colors.mjs";
import { THEME_COLORS } from "./theme-colors";

it("tints the browser in the color of the page, by day and by night", () => {
  expect(THEME_COLORS).toEqual({ paper: COLORS.paper, night: NIGHT_COLORS.paper });
});
