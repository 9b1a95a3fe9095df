import type { Range as CharacterRange } from "~db/search-text";
import { NUMBER_LINKS } from "./passage-text";

/**
 * Returns what a selection has of a text's characters, counted as by `passageText`; null if it neither begins nor ends in
 * the text, or selects none.
 */
export function characterRange(text: Element, selected: Range): CharacterRange | null {
  const { startContainer, endContainer } = selected;
  if (!text.contains(startContainer) && !text.contains(endContainer)) return null;
  let position = 0;
  let start: number | null = null;
  let end = 0;
  for (const element of text.children) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (
      let node = walker.nextNode() as Text | null;
      node;
      node = walker.nextNode() as Text | null
    ) {
      if (node.parentElement?.closest(NUMBER_LINKS)) continue;
      if (selected.intersectsNode(node)) {
        const from = node === startContainer ? selected.startOffset : 0;
        const to = node === endContainer ? selected.endOffset : node.length;
        if (to > from) {
          start ??= position + from;
          end = position + to;
        }
      }
      position += node.length;
    }
    // the line break after each element
    position += 1;
  }
  return start === null ? null : { start, end };
}
