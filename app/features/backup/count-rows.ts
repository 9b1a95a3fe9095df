const LINE_END = "\n".charCodeAt(0);

/** The rows that end in a piece of COPY's text format: a row is a line, since line breaks within values are escaped. */
export function countRows(content: Uint8Array): number {
  let rows = 0;
  for (let at = content.indexOf(LINE_END); at !== -1; at = content.indexOf(LINE_END, at + 1))
    rows++;
  return rows;
}
