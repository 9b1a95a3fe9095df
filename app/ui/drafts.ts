/** Prefix of unsaved texts in the browser's storage, keyed by user, text and open page. */
const PREFIX = "golden-path:draft:";

/** The key of a draft, or with less than three parts, the beginning of several drafts' keys. */
const keyOf = (...parts: string[]) => PREFIX + parts.map((part) => `${part}:`).join("");

/** Keeps a draft; false if the browser stores nothing. */
export function keepDraft(user: string, subject: string, page: string, draft: unknown): boolean {
  try {
    localStorage.setItem(keyOf(user, subject, page), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Replaces a draft; false if it is not kept any more, as after its user has signed out in any tab. */
export function replaceDraft(user: string, subject: string, page: string, draft: unknown): boolean {
  return keysWith(keyOf(user, subject, page)).length > 0 && keepDraft(user, subject, page, draft);
}

/** Removes a page's draft of a text; without `page` all drafts of the text, without `subject` all of the user. */
export function forgetDrafts(...parts: [user: string, subject?: string, page?: string]): void {
  const prefix = keyOf(...(parts as string[]));
  for (const key of keysWith(prefix)) localStorage.removeItem(key);
}

/** A user's drafts of a text by the pages that kept them. */
export function findDrafts(user: string, subject: string): { page: string; draft: unknown }[] {
  const prefix = keyOf(user, subject);
  return keysWith(prefix).map((key) => ({
    page: key.slice(prefix.length, -1),
    draft: JSON.parse(localStorage.getItem(key) ?? "null"),
  }));
}

function keysWith(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
