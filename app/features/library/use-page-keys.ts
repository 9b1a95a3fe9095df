import { useNavigate } from "@remix-run/react";
import { useEffect } from "react";

/** Elements that use the arrow keys themselves. */
const USES_ARROWS =
  "input, textarea, select, audio, video, [contenteditable], [role=menu], [role=slider], [role=tablist]";

/** Turns the pages with the arrow keys: left to the path before, right to the path after. */
export function usePageKeys(previous: string | undefined, next: string | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    const turn = (event: KeyboardEvent) => {
      const to = { ArrowLeft: previous, ArrowRight: next }[event.key];
      const { altKey, ctrlKey, metaKey, shiftKey, repeat, defaultPrevented, target } = event;
      if (!to || altKey || ctrlKey || metaKey || shiftKey || repeat || defaultPrevented) return;
      if (target instanceof Element && target.closest(USES_ARROWS)) return;
      navigate(to);
    };
    document.addEventListener("keydown", turn);
    return () => document.removeEventListener("keydown", turn);
  }, [navigate, previous, next]);
}
