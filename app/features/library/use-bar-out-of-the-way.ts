import { type RefObject, useEffect } from "react";

/** Scrolling less than this is not taken for a wish to see the bar, or not to; in CSS pixels. */
const TOLERANCE = 8;

/** Marks a bar with `data-away` while one reads on, and unmarks it when one scrolls back. */
export function useBarOutOfTheWay(bar: RefObject<HTMLElement>): void {
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
