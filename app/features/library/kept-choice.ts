const PREFIX = "golden-path:choice:";

/** Returns a choice of the reader that this browser keeps; null if there is none. */
export function keptChoice(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keeps a choice in this browser, if it keeps anything. */
export function keepChoice(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // the choice lasts as long as the page
  }
}
