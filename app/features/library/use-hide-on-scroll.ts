import { type RefObject, useEffect } from "react";

/** Scrolling by less than this changes nothing, in CSS pixels. */
const TOLERANCE = 8;

/** Marks a bar with `data-away`, which hides it, after scrolling down, and unmarks it after scrolling up. */
export function useHideOnScroll(bar: RefObject<HTMLElement>): void {
  useEffect(() => {
    let before = window.scrollY;
    const onScroll = () => {
      const { scrollY } = window;
      if (Math.abs(scrollY - before) < TOLERANCE) return;
      bar.current?.toggleAttribute("data-away", scrollY > before);
      before = scrollY;
    };
    document.addEventListener("scroll", onScroll, { passive: true });
    return () => document.removeEventListener("scroll", onScroll);
  }, [bar]);
}
