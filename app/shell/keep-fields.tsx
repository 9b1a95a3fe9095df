import { type ReactNode, useLayoutEffect } from "react";

const FOCUSABLE = "input:not([type=hidden]), textarea, select, button, a[href], summary";

/** Events at which React 18 would hydrate at once. It cannot before Remix has decoded the page's data, and gives up. */
const HURRYING = [
  ...["keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit", "reset"],
  ...["pointerdown", "pointerup", "mousedown", "mouseup", "touchstart", "touchend", "touchcancel"],
  ...["click", "dblclick", "auxclick", "contextmenu", "copy", "cut", "paste", "drop", "dragstart"],
  ...["dragend", "compositionstart", "compositionend"],
];

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Remembers the document's fields and the focus, from before hydration on. React 18 renders the whole document anew if
 * an extension or a proxy has changed it (https://github.com/remix-run/remix/issues/4822). The function returned then
 * puts what was entered, selected and focused into the new document.
 */
export function rememberFields(): () => void {
  const before = elementsByKey();
  let focused: EventTarget | null = document.activeElement;
  const follow = (event: FocusEvent) => {
    focused = event.target;
  };
  // until then, the browser alone handles events, as it does without scripts
  const withhold = (event: Event) => event.stopImmediatePropagation();
  document.addEventListener("focusin", follow);
  for (const type of HURRYING) window.addEventListener(type, withhold, true);
  return () => {
    document.removeEventListener("focusin", follow);
    for (const type of HURRYING) window.removeEventListener(type, withhold, true);
    const after = elementsByKey();
    for (const [key, old] of before) {
      const element = after.get(key);
      if (old.isConnected || !element) continue;
      if (isField(old) && isField(element)) copyEntry(old, element);
      if (old === focused) element.focus({ preventScroll: true });
      if (old === focused && isField(old) && isField(element)) copySelection(old, element);
    }
  };
}

/** Calls `restore` once the document below is hydrated, or was rendered anew. */
export function KeepFields({ restore, children }: { restore: () => void; children: ReactNode }) {
  useLayoutEffect(restore, [restore]);
  return children;
}

/** The document's elements by what they are, and their number among the like. */
function elementsByKey(): Map<string, HTMLElement> {
  const elements = new Map<string, HTMLElement>();
  const counts = new Map<string, number>();
  for (const element of document.querySelectorAll<HTMLElement>(FOCUSABLE)) {
    const form = element.closest("form")?.getAttribute("action");
    const names = ["name", "type", "href"].map((name) => element.getAttribute(name));
    const choice =
      element.matches("[type=radio], [type=checkbox]") && element.getAttribute("value");
    const kind = JSON.stringify([element.tagName, form, ...names, choice]);
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    elements.set(`${kind} ${count}`, element);
  }
  return elements;
}

function isField(element: Element): element is Field {
  return element.matches("input, textarea, select");
}

/** Copies what was entered, and lets React's handlers know, which need a value that was set as by a browser. */
function copyEntry(from: Field, to: Field): void {
  const properties = from.type === "file" ? ["files"] : ["value", "checked"];
  const changed = properties.filter(
    (name) => name in from && Reflect.get(from, name) !== Reflect.get(to, name),
  );
  for (const name of changed) {
    Reflect.set(Object.getPrototypeOf(to), name, Reflect.get(from, name), to);
  }
  if (changed.length === 0) return;
  // what is hidden was opened to be filled in
  to.closest("details")?.setAttribute("open", "");
  for (const type of ["input", "change"]) to.dispatchEvent(new Event(type, { bubbles: true }));
}

function copySelection(from: Field, to: Field): void {
  if (from instanceof HTMLSelectElement || to instanceof HTMLSelectElement) return;
  // fields such as those for an address have none
  if (from.selectionStart === null) return;
  to.setSelectionRange(from.selectionStart, from.selectionEnd, from.selectionDirection ?? "none");
}
