import { stringify } from "csv-stringify/sync";
import { readReachedSubscribers } from "~db/queries/subscriber-lists";
import { escapeCell } from "./address-file/spreadsheet-cell";

/** Rows written per chunk. */
const PAGE = 5_000;

const HEADER = ["email", "confirmed_at", "consent_source", "consent_recorded_at"];

/**
 * Writes the reachable addresses as CSV in chunks of constant size: UTF-8 with a byte order mark, with formulas
 * escaped for spreadsheet programs. An import reads back the same addresses.
 */
export async function exportSubscribers(write: (csv: string) => Promise<void>): Promise<void> {
  await write(csvOf([HEADER], { bom: true }));
  await readReachedSubscribers(PAGE, (page) =>
    write(
      csvOf(
        page.map(({ email, confirmedAt, consentSource, consentRecordedAt }) => [
          email,
          confirmedAt?.toISOString() ?? "",
          consentSource ?? "",
          consentRecordedAt?.toISOString() ?? "",
        ]),
      ),
    ),
  );
}

function csvOf(rows: string[][], options: { bom?: boolean } = {}): string {
  return stringify(
    rows.map((row) => row.map(escapeCell)),
    { quoted: true, ...options },
  );
}
