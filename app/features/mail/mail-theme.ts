import type { CSSProperties } from "react";
import { COLORS } from "~/styles/colors.mjs";

/** Fonts available everywhere; the site's own would be remote content. */
export const SERIF = "Georgia, 'Times New Roman', serif";
export const SANS_SERIF = "Arial, Helvetica, sans-serif";
export const MONOSPACE = "Consolas, Menlo, 'Courier New', monospace";

/**
 * Returns a text style; sizes in pixels. `msoLineHeightRule` stops Outlook on Windows from treating the line height
 * as a minimum.
 */
export function type(fontFamily: string, fontSize: number, lineHeight: number): CSSProperties {
  const outlook = { msoLineHeightRule: "exactly" } as CSSProperties;
  return { fontFamily, fontSize, ...outlook, lineHeight: `${lineHeight}px` };
}

/** Type for body text and for table cells. */
export const BODY_TYPE = type(SERIF, 17, 28);
export const TABLE_TYPE = type(SANS_SERIF, 15, 22);

/** The mail's width in a wide enough window, and the margin on each side of its text, in pixels. */
export const MAIL_WIDTH = 600;
export const CONTENT_MARGIN = 49;
const NARROW_MARGIN = 22;

/** The width of a mail's text in the narrowest window, 320 pixels. */
export const NARROWEST_TEXT = 320 - 2 * NARROW_MARGIN;

type Role = {
  /** The class used by the dark mode rules. */
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

/** A mail's colors by role, for light and dark mode. */
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

/** Returns the class and inline style that apply these colors in both modes. */
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

/** Attributes that Outlook on the web adds to elements whose colors it has darkened. */
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
 * Dark mode rules. A media query serves clients that support it (Apple Mail, Outlook on a Mac). Attributes make
 * Outlook on the web use these colors instead of its own. Gmail ignores both and inverts the light colors.
 */
export const DARK_MODE_CSS = `@media (prefers-color-scheme:dark){${darkRules(() => "")}}${darkRules(
  ({ property }) => `${OUTLOOK_DARKENED[property]} `,
)}`;

/** Returns a mail's HTML as it looks in one color scheme, whatever that of the browser. */
export function inColorScheme(html: string, scheme: "light" | "dark"): string {
  return html
    .replace(COLOR_SCHEME_CSS, `:root{color-scheme:${scheme}}`)
    .replace(
      "@media (prefers-color-scheme:dark)",
      `@media ${scheme === "dark" ? "all" : "not all"}`,
    );
}

/** Fills a phone's window with the sheet, without the surrounding canvas. */
export const NARROW_CSS = `@media (max-width:600px){.mail-frame{padding:0 !important}.mail-sheet-edge{border-width:0 !important;border-radius:0 !important}.mail-content{padding:28px ${NARROW_MARGIN}px 36px !important}}`;

/** Declares both color schemes, which keeps clients that check from inverting colors. */
export const COLOR_SCHEME_CSS = ":root{color-scheme:light dark}";
