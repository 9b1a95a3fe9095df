/**
 * Returns the words of up to `length` characters in a document's tables that break across lines. Self-contained, so
 * the browser can evaluate it.
 */
export function brokenTableWords(length: number): string[] {
  const broken: string[] = [];
  for (const cell of document.querySelectorAll("th, td:not(:has(table))")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const { 0: word, index } of (node.nodeValue ?? "").matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (word.length <= length && range.getClientRects().length > 1) broken.push(word);
      }
    }
  }
  return broken;
}
