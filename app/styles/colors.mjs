/**
 * The colors of the design: dawn, with cream, ink, one gold family and one green-black. The style sheet has each as
 * a token, `--color-ink` (postcss.config.mjs); mails, whose programs know no tokens, have the values.
 */
export const COLORS = /** @type {const} */ ({
  paper: "#fdf9f1",
  "paper-deep": "#f6eedd",
  ink: "#211d18",
  "ink-soft": "#574e43",
  "gold-pale": "#f6e3b4",
  gold: "#e9b44c",
  // Hover and active of a gold button; ink on it stays above 7:1.
  "gold-deep": "#d89e30",
  "on-gold": "#211d18",
  "gold-text": "#8a5a0b",
  night: "#14211c",
  "night-soft": "#22342c",
  "on-night": "#fdf9f1",
  // Secondary text on night.
  mist: "#c4cdc3",
  // Hairlines are decoration; `line-strong` outlines controls and keeps 3:1 on paper.
  line: "#e5dac4",
  "line-strong": "#8b7d66",
  "line-night": "#3b5046",
  // The ground of fields, and of what is selected, pointed at or needs attention.
  field: "#fefdf9",
  highlight: "#f6e3b4",
  // The grounds of highlighted passages: yellow, green, blue and pink. Ink on them keeps 7:1.
  "highlight-1": "#f8e08c",
  "highlight-2": "#cfe8c6",
  "highlight-3": "#cfe6f5",
  "highlight-4": "#fadadf",
  destructive: "#9a2f21",
  success: "#2d6a48",
});

/** Overrides of the sepia theme. Contrasts are at least 4.5:1, as in the other themes. */
export const SEPIA_COLORS = /** @type {const} */ ({
  paper: "#f1e3c8",
  "paper-deep": "#e8d6b4",
  ink: "#33261a",
  "ink-soft": "#594730",
  "gold-text": "#744a07",
  line: "#d5c19b",
  "line-strong": "#7f6a49",
  field: "#f8eedb",
  highlight: "#f0cf86",
  "highlight-1": "#f0cf6e",
  "highlight-2": "#c3d7a4",
  "highlight-3": "#b9d2d6",
  "highlight-4": "#efc0b4",
  destructive: "#8a2718",
  success: "#245a3b",
});

/** Overrides of the dark theme: a warm dark, with the gold unchanged. Contrasts are at least those of the light theme. */
export const NIGHT_COLORS = /** @type {const} */ ({
  paper: "#1c1712",
  "paper-deep": "#26201a",
  ink: "#ebe0cd",
  "ink-soft": "#bcae98",
  "gold-text": "#e3b35c",
  line: "#3b3228",
  "line-strong": "#8f806a",
  field: "#15110d",
  highlight: "#4a391b",
  "highlight-1": "#4f3d10",
  "highlight-2": "#23422d",
  "highlight-3": "#1f3d52",
  "highlight-4": "#55303a",
  destructive: "#f2a18e",
  success: "#96cba7",
});
