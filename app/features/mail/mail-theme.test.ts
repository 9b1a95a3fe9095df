import { describe, expect, it } from "vitest";
import { MAIL_COLORS } from "./mail-theme";

/** Relative luminance of a color (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * The luminance after inverting lightness (CIELAB), as Chromium does. Gmail's app darkens light mails in a similar,
 * unpublished way.
 */
function invertedLuminance(color: string): number {
  const light = luminance(color);
  const lightness = light > 0.008856 ? 116 * Math.cbrt(light) - 16 : 903.3 * light;
  const inverted = 100 - lightness;
  return inverted > 8 ? ((inverted + 16) / 116) ** 3 : inverted / 903.3;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

describe.each([
  ["text", "sheet"],
  ["softText", "sheet"],
  ["link", "sheet"],
  ["text", "canvas"],
  ["buttonText", "button"],
] as const)("the color of %s on %s", (text, ground) => {
  const of = MAIL_COLORS;

  it("is readable in light and dark mode", () => {
    for (const mode of ["light", "dark"] as const) {
      const reached = contrast(luminance(of[text][mode]), luminance(of[ground][mode]));
      expect(reached, mode).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("is readable when a mail client inverts the light color", () => {
    const inverted = [of[text].light, of[ground].light].map(invertedLuminance);
    expect(contrast(...(inverted as [number, number]))).toBeGreaterThanOrEqual(4.5);
  });
});
