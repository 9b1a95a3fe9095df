import { useEffect, useRef } from "react";
import { keptChoice } from "./kept-choice";

/** The name of the kept choice that turns off keys of a single character (WCAG 2.2, 2.1.4). */
export const KEYS_CHOICE = "keys";

/** Elements with their own use of keys. */
const USES_KEYS =
  "input, textarea, select, audio, video, dialog, [contenteditable], [role=menu], [role=slider], [role=tablist]";

/** Calls the action of a pressed key, by the key's name. An action that does nothing returns false. */
export function useReadingKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, shiftKey, repeat, defaultPrevented, target } = event;
      const action = latest.current[key];
      const isCharacter = key.length === 1;
      if (!action || altKey || ctrlKey || metaKey || repeat || defaultPrevented) return;
      if (isCharacter ? keptChoice(KEYS_CHOICE) === "off" : shiftKey) return;
      if (target instanceof Element && target.closest(USES_KEYS)) return;
      if (action() !== false) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
