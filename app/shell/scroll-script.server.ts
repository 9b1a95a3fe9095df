import { POSITIONS } from "./scroll-position";

/**
 * Handles what the router does not.
 *
 * - Every history entry gets a key, also that of a fragment typed into the address bar, or of a link followed
 *   before hydration. The router treats all entries without one as a single location, "default": it would scroll
 *   to the position stored for another of them instead of to the fragment.
 * - The position is stored, where the router will look, as soon as scrolling ends. The router stores it only on
 *   `pagehide`: never if the browser discards the tab, and on a busy machine perhaps after the visitor has come
 *   back.
 * - So it is after a pause in scrolling, since not every browser fires `scrollend` after every scroll, when the
 *   tab is hidden, and when a page is left for a fragment, even if it was never scrolled.
 * - The browser does not restore a position that is stored: Chromium learns of scrolling up to a second late, and
 *   the router would take one that Firefox restores too early for that of the entry being left. Until the router
 *   does it, this script restores them.
 */
export const SCROLL_SCRIPT = `(() => {
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem("${POSITIONS}")) ?? {};
    } catch {
      return {};
    }
  };
  const store = () => {
    try {
      const positions = { ...read(), [history.state.key]: scrollY };
      sessionStorage.setItem("${POSITIONS}", JSON.stringify(positions));
      history.scrollRestoration = "manual";
    } catch {}
  };
  if (history.state?.key in read()) history.scrollRestoration = "manual";
  let pause;
  addEventListener("scroll", () => {
    clearTimeout(pause);
    pause = setTimeout(store, 100);
  });
  addEventListener("scrollend", store);
  addEventListener("visibilitychange", () => document.hidden && store());
  addEventListener("click", ({ target }) => target.closest("a[href*='#']") && store());
  addEventListener("popstate", () => {
    const { state } = history;
    if (!state?.key) {
      history.replaceState({ ...state, key: Math.random().toString(36).slice(2) }, "");
    } else if (document.documentElement.dataset.hydrated === undefined) {
      const top = read()[state.key];
      if (top !== undefined) return scrollTo({ top, behavior: "instant" });
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    } else history.scrollRestoration = "manual";
  });
})();`;
