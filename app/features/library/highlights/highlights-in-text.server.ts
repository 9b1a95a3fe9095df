import { setImmediate } from "node:timers/promises";
import type { StoredText } from "~db/queries/editions";
import { listHighlights, type PlacedHighlight, placeHighlights } from "~db/queries/highlights";
import type { Highlight } from "~db/schema";
import { roughlyFolded } from "~db/search-text";
import { highlightPath, passageId } from "../library-paths";
import { passageAt, passageFinder } from "./find-passage";
import { COLORS, type HighlightView, type TextHighlights } from "./highlight";
import type { Insertion, Mark } from "./mark-passages";
import { type PassageText, passageText } from "./passage-text";

/** How long passages are looked for while a page waits, in milliseconds. The next request goes on. */
const SEARCH_MS = 1_000;

/** After this long, other requests are served, in milliseconds. */
const TURN_MS = 10;

/** Places stored by one statement. */
const PLACED_AT_ONCE = 500;

/** Marks of highlights, and the links that change them, for the HTML of their text. */
type Marked = TextHighlights & {
  marks: Mark[];
  links: Insertion[];
  /** Differs whenever marks or links do. */
  state: string;
};

/** Returns a member's highlights in a text. Those made in another version of it are looked for, once. */
export async function highlightsInText(userId: string, text: StoredText): Promise<Marked> {
  const { id: slug, html, renderKey } = text;
  const rows = await listHighlights({ userId, slug });
  const marked: Marked = { renderKey, noted: [], lost: [], marks: [], links: [], state: "" };
  if (rows.length === 0) return marked;
  const passages = passageText(html);
  const placed = await placedIn(passages, rows, renderKey);
  const pause = inTurns();
  for (const row of placed) {
    await pause();
    const { id, start, quote, color, note } = row;
    if (row.isLost) {
      marked.lost.push(viewOf(row));
      continue;
    }
    if (note !== "") marked.noted.push(viewOf(row));
    const end = passages.ends[start + quote.length - 1] ?? 0;
    const tag = `<mark id="${passageId(id)}" class="highlight highlight-${color}" data-highlight="${id}">`;
    marked.marks.push({ start: passages.starts[start] ?? 0, end, tag });
    marked.links.push({ at: end, html: changeLink(row, marked.noted.length) });
  }
  const latest = Math.max(...placed.map(({ updatedAt }) => updatedAt.getTime()));
  return { ...marked, state: `${placed.length}-${latest}` };
}

/** Shows a highlight without the data that only the server needs. */
export const viewOf = ({ id, quote, color, note }: Highlight): HighlightView => ({
  id,
  quote,
  color,
  note,
});

/** An empty link after a highlight, which style sheets show. Its words are no characters of the text. */
function changeLink({ id, color, note }: Highlight, number: number): string {
  const noted = note === "" ? "" : `, with note ${number}`;
  const label = `Change ${COLORS[color as keyof typeof COLORS].toLowerCase()} highlight${noted}`;
  const attributes = note === "" ? "" : ` data-note="${number}"`;
  return `<a href="${highlightPath(id)}" class="highlight-link" data-highlight="${id}" data-color="${color}"${attributes} aria-label="${label}"></a>`;
}

/** Returns highlights at their places in a text, in its order, and stores places that have changed. */
async function placedIn(
  { characters }: PassageText,
  rows: readonly Highlight[],
  renderKey: string,
): Promise<Highlight[]> {
  if (rows.every((row) => row.renderKey === renderKey)) return [...rows];
  const find = passageFinder(characters);
  const begin = performance.now();
  const pause = inTurns();
  const placed: Highlight[] = [];
  const changed: PlacedHighlight[] = [];
  for (const row of rows) {
    if (row.renderKey !== renderKey) {
      // left for the next request
      if (performance.now() - begin > SEARCH_MS) continue;
      const range = await find(row);
      const passage = range ? passageAt(characters, range) : row;
      const searched = searchedText({ ...passage, note: row.note });
      changed.push({ ...row, ...passage, searched, isLost: range === null });
    }
    placed.push({ ...row, ...(row.renderKey === renderKey ? {} : changed.at(-1)) });
    await pause();
  }
  for (let at = 0; at < changed.length; at += PLACED_AT_ONCE) {
    await placeHighlights(changed.slice(at, at + PLACED_AT_ONCE), renderKey);
  }
  return placed.sort((one, other) => one.start - other.start);
}

/** Returns a function that lets other requests be served when its caller's turn is over. */
function inTurns(): () => Promise<void> {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < TURN_MS) return;
    await setImmediate();
    turn = performance.now();
  };
}

/** Returns a quote and its note as `searchHighlights` searches them: in lower case and with plain letters. */
export const searchedText = ({ quote, note }: { quote: string; note: string }) =>
  roughlyFolded(`${quote}\n${note}`);
