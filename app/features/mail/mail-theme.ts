import type { CSSProperties } from "react";
import { COLORS } from "~/styles/colors.mjs";

/** Faces that are everywhere; the site's own would be remote content. */
export const SERIF = "Georgia, 'Times New Roman', serif";
export const SANS_SERIF = "Arial, Helvetica, sans-serif";
export const MONOSPACE = "Consolas, Menlo, 'Courier New', monospace";

/**
 * The style of a text in one typeface; sizes in pixels. Outlook on Windows would otherwise take the line height for a
 * minimum.
 */
export function type(fontFamily: string, fontSize: number, lineHeight: number): CSSProperties {
  const outlook = { msoLineHeightRule: "exactly" } as CSSProperties;
  return { fontFamily, fontSize, ...outlook, lineHeight: `${lineHeight}px` };
}

/** The type of running text, and of the cells of tables. */
export const BODY_TYPE = type(SERIF, 17, 28);
export const TABLE_TYPE = type(SANS_SERIF, 15, 22);

/** The mail's width where there is room, and the margin on either side of its text, in pixels. */
export const MAIL_WIDTH = 600;
export const CONTENT_MARGIN = 49;
const NARROW_MARGIN = 22;

/** The width of a mail's text in the narrowest window, of 320 pixels. */
export const NARROWEST_TEXT = 320 - 2 * NARROW_MARGIN;

type Role = {
  /** The class by which the rules for dark mode find it. */
  className: string;
  property: "color" | "backgroundColor" | "borderColor";
  light: string;
  dark: string;
};

const role = (
  className: string,
  property: Role["property"],
  light: keyof typeof COLORS,
  dark: keyof typeof COLORS,
): Role => ({ className, property, light: COLORS[light], dark: COLORS[dark] });

/** The colors of a mail by what they are for, in the light and in the dark. */
export const MAIL_COLORS = {
  canvas: role("mail-canvas", "backgroundColor", "paper-deep", "night"),
  sheet: role("mail-sheet", "backgroundColor", "paper", "night-soft"),
  sheetEdge: role("mail-sheet-edge", "borderColor", "line", "line-night"),
  rule: role("mail-rule", "borderColor", "line", "line-night"),
  path: role("mail-path", "borderColor", "gold", "gold"),
  text: role("mail-text", "color", "ink", "paper"),
  softText: role("mail-soft-text", "color", "ink-soft", "mist"),
  link: role("mail-link", "color", "gold-text", "gold"),
  button: role("mail-button", "backgroundColor", "gold", "gold"),
  buttonText: role("mail-button-text", "color", "ink", "ink"),
} as const satisfies Record<string, Role>;

/** The class and the inline style that give an element these colors, in both modes. */
export function colored(
  roles: readonly (keyof typeof MAIL_COLORS)[],
  style: CSSProperties = {},
): { className: string; style: CSSProperties } {
  const named = roles.map((name) => MAIL_COLORS[name]);
  return {
    className: named.map(({ className }) => className).join(" "),
    style: {
      ...style,
      ...Object.fromEntries(named.map(({ property, light }) => [property, light])),
    },
  };
}

const CSS_PROPERTIES = {
  color: "color",
  backgroundColor: "background-color",
  borderColor: "border-color",
} as const satisfies Record<Role["property"], string>;

/** What Outlook on the web puts on elements whose colors it has darkened by itself. */
const OUTLOOK_DARKENED = {
  color: "[data-ogsc]",
  backgroundColor: "[data-ogsb]",
  borderColor: "[data-ogsb]",
} as const satisfies Record<Role["property"], string>;

const darkRules = (prefix: (role: Role) => string) =>
  Object.values(MAIL_COLORS)
    .map(
      (each) =>
        `${prefix(each)}.${each.className}{${CSS_PROPERTIES[each.property]}:${each.dark} !important}`,
    )
    .join("");

/**
 * The rules for dark mode: by media query for the programs that ask (Apple Mail, Outlook on a Mac), and for Outlook
 * on the web, so that it uses these colors instead of its own. Gmail inverts the light ones and reads none of this.
 */
export const DARK_MODE_CSS = `@media (prefers-color-scheme:dark){${darkRules(() => "")}}${darkRules(
  ({ property }) => `${OUTLOOK_DARKENED[property]} `,
)}`;

/** A phone's window is all sheet, without the canvas around it. */
export const NARROW_CSS = `@media (max-width:600px){.mail-frame{padding:0 !important}.mail-sheet-edge{border-width:0 !important;border-radius:0 !important}.mail-content{padding:28px ${NARROW_MARGIN}px 36px !important}}`;

/** Light and dark are both designed, which keeps programs that ask from inverting by themselves. */
export const COLOR_SCHEME_CSS = ":root{color-scheme:light dark}";
