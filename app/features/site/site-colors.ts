import { converter, formatHex, interpolate, wcagContrast } from "culori";
import { COLORS, NIGHT_COLORS, SEPIA_COLORS } from "~/styles/colors.mjs";
import type { Site } from "./site";

/** Contrast of text (WCAG 2.2, 1.4.3), and that of the light text on the dark tone, which is also set small. */
const READABLE = 4.5;
const READABLE_ON_DARK = 7;

const toOklch = converter("oklch");

/** Returns the ink or paper, whichever is more readable on a color. */
function textOn(color: string): string {
  return wcagContrast(color, COLORS.ink) >= wcagContrast(color, COLORS.paper)
    ? COLORS.ink
    : COLORS.paper;
}

const mix = (color: string, other: string, share: number) =>
  formatHex(interpolate([color, other], "rgb")(share));

/** Returns the color closest in lightness that passes `isGood`; hue and chroma stay as far as sRGB has them. */
function nearest(color: string, isGood: (color: string) => boolean): string {
  const { l, ...rest } = toOklch(color) ?? { mode: "oklch" as const, l: 0, c: 0 };
  for (let distance = 0; distance <= 1; distance += 0.005) {
    for (const lightness of [l - distance, l + distance]) {
      if (lightness < 0 || lightness > 1) continue;
      const candidate = formatHex({ ...rest, l: lightness });
      if (isGood(candidate)) return candidate;
    }
  }
  throw new Error("Neither black nor white passes.");
}

const isGoodAccent = (color: string) => wcagContrast(color, textOn(color)) >= READABLE;
const isGoodDark = (color: string) => wcagContrast(color, COLORS["on-night"]) >= READABLE_ON_DARK;

function complaint(color: string, isGood: (color: string) => boolean, use: string): string | null {
  if (isGood(color)) return null;
  return `text on a ${use} of this color is hard to read; the nearest good one is '${nearest(color, isGood)}'`;
}

/** Returns why an accent is refused, with the nearest good one; null if it is good. */
export const unreadableAccent = (color: string) => complaint(color, isGoodAccent, "button");

/** Returns why a dark tone is refused, with the nearest good one; null if it is good. */
export const unreadableDark = (color: string) => complaint(color, isGoodDark, "ground");

/** Returns the style sheet of a site's own colors; null if it has none. */
export function colorStyles({ accent, dark }: Site["colors"]): string | null {
  if (!accent && !dark) return null;
  const gold = accent ?? COLORS.gold;
  const night = dark ?? COLORS.night;
  const nightSoft = mix(night, COLORS.paper, 0.08);
  const onDark = nearest(gold, (color) => wcagContrast(color, nightSoft) >= READABLE);
  const readableOn = (ground: string) =>
    nearest(gold, (color) => wcagContrast(color, ground) >= READABLE);
  const inTheme = (theme: { paper: string; "paper-deep": string }, share: number) => ({
    "gold-text": readableOn(theme["paper-deep"]),
    highlight: mix(theme.paper, gold, share),
  });
  const byDay = inTheme(COLORS, 0.3);
  const byNight = inTheme(NIGHT_COLORS, 0.2);
  return [
    rule(":root", {
      ...accentTokens(gold),
      ...byDay,
      "gold-pale": byDay.highlight,
      night,
      "night-soft": nightSoft,
      "line-night": mix(night, COLORS.paper, 0.2),
      mist: mix(COLORS.paper, night, 0.2),
    }),
    rule(".on-night", accentTokens(onDark)),
    "@media screen{",
    rule('[data-theme="paper"]', byDay),
    rule('[data-theme="sepia"]', inTheme(SEPIA_COLORS, 0.3)),
    rule('[data-theme="night"]', byNight),
    "}",
    `@media screen and (prefers-color-scheme:dark){${rule('[data-theme="device"]', byNight)}}`,
  ].join("\n");
}

function accentTokens(gold: string): Record<string, string> {
  const text = textOn(gold);
  // a pressed button moves away from its text
  const away = text === COLORS.ink ? "#ffffff" : "#000000";
  return { gold, "gold-deep": mix(gold, away, 0.12), "on-gold": text };
}

function rule(selector: string, tokens: Record<string, string>): string {
  const declarations = Object.entries(tokens).map(([name, value]) => `--color-${name}:${value}`);
  return `${selector}{${declarations.join(";")}}`;
}
