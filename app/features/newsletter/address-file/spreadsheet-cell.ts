/**
 * What a cell may begin with for a spreadsheet program to run it as a formula, after apostrophes that keep it
 * from doing so (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const ESCAPABLE = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell that a spreadsheet program shows and does not run: an apostrophe is put before a formula, and before
 * text that looks like one escaped, so that `unescapeCell` returns exactly the text.
 */
export function escapeCell(text: string): string {
  return ESCAPABLE.test(text) ? `'${text}` : text;
}

/** The text of an escaped cell; other text unchanged. */
export function unescapeCell(cell: string): string {
  return cell.startsWith("'") && ESCAPABLE.test(cell) ? cell.slice(1) : cell;
}
