/** The colors in which browsers tint their own interface: those of `paper` in `app/styles/colors.mjs`. */
export const THEME_COLORS = { paper: "#fdf9f1", sepia: "#f1e3c8", night: "#1c1712" } as const;
