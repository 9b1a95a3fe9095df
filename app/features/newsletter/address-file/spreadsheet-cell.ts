import { stringify } from "csv-stringify/sync";

/**
 * Matches a cell that a spreadsheet program would run as a formula, also behind the apostrophes that prevent this
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const ESCAPABLE = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Escapes a cell so that a spreadsheet program shows it instead of running it. Puts an apostrophe before a formula and
 * before text that looks escaped already, so `unescapeCell` returns exactly the original.
 */
export function escapeCell(text: string): string {
  return ESCAPABLE.test(text) ? `'${text}` : text;
}

/** Rows as CSV for spreadsheet programs, with every cell in quotes; with `bom` for the first rows of a file. */
export function csvOf(rows: string[][], options: { bom?: boolean } = {}): string {
  return stringify(
    rows.map((row) => row.map(escapeCell)),
    { quoted: true, ...options },
  );
}

/** Unescapes a cell; returns other text unchanged. */
export function unescapeCell(cell: string): string {
  return cell.startsWith("'") && ESCAPABLE.test(cell) ? cell.slice(1) : cell;
}
