/** The desk's first page. Every other address of the desk is below it. */
export const DESK_PATH = "/desk";

/** The desk's pages in its menu, in their order. */
export const DESK_PAGES = [
  { path: DESK_PATH, label: "Today" },
  { path: `${DESK_PATH}/letters`, label: "Letters" },
  { path: `${DESK_PATH}/book`, label: "Book" },
  { path: `${DESK_PATH}/site`, label: "Site" },
  { path: `${DESK_PATH}/people`, label: "People" },
  { path: `${DESK_PATH}/figures`, label: "Figures" },
  { path: `${DESK_PATH}/health`, label: "Health" },
  { path: `${DESK_PATH}/log`, label: "Log" },
] as const;

/** Path to which pages with JavaScript post what is typed. */
export const AUTOSAVE_PATH = `${DESK_PATH}/draft`;

/** Largest body of a form with a text, percent-encoded, in bytes. */
export const TEXT_LIMIT = 1_000_000;

/** Whether a path may lead to the desk, however it is spelled: Remix ignores case, and decodes it. */
export function isDeskPath(path: string): boolean {
  return decodeURIComponent(path).toLowerCase().startsWith(DESK_PATH);
}
