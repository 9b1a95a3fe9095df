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
  "gold-text": "#8a5a0b",
  night: "#14211c",
  "night-soft": "#22342c",
  // Secondary text on night.
  mist: "#c4cdc3",
  // Hairlines are decoration; `line-strong` outlines controls and keeps 3:1 on paper.
  line: "#e5dac4",
  "line-strong": "#8b7d66",
  "line-night": "#3b5046",
  destructive: "#9a2f21",
  success: "#2d6a48",
});
