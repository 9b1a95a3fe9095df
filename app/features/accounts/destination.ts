/** Where the landing page sells the membership. */
export const UPGRADE = "/#purchase";

/** What somebody may want to do after signing in, by the address of it; the first match counts. */
const PURPOSES: readonly [RegExp, string][] = [
  [/^\/#purchase$/, "upgrade"],
  [/^\/premium\/chapters\/[\w-]+(\?[!-~]*)?$/, "read this chapter"],
  [/^\/premium\/extras\/[\w-]+(\?[!-~]*)?$/, "read this text"],
  [
    /^\/premium(\/(chapters|search|podcast|e-book|highlights))?(\?[!-~]*)?$/,
    "open the members’ area",
  ],
  [/^\/account(\/delete)?$/, "open your account"],
  [/^\/checkout\/success\?session_id=\w+$/, "see your purchase"],
];

/**
 * A page to lead somebody to once they are signed in; null for any other text. A closed set of own paths, so that no
 * link can send a browser to another site, or make it do something.
 */
export function readDestination(text: unknown): string | null {
  return typeof text === "string" && text.length <= 500 && purposeOf(text) ? text : null;
}

/** What a destination is for, after "Log in to"; null for a text that is none. */
export function purposeOf(destination: string): string | null {
  return PURPOSES.find(([address]) => address.test(destination))?.[1] ?? null;
}

/** The address of a page, such as the log-in page's, that afterward leads to a destination, if there is one. */
export function leadingTo(path: string, destination: string | null): string {
  if (destination === null) return path;
  return `${path}${path.includes("?") ? "&" : "?"}leads-to=${encodeURIComponent(destination)}`;
}

/** A page of the members' area that asks a signed-out visitor to log in, at its own address. */
export function hasOwnLogIn(path: string): boolean {
  return path.startsWith("/premium/") && readDestination(path) !== null;
}
