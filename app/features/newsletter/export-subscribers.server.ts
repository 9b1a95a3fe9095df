import { stringify } from "csv-stringify/sync";
import { findReachedSubscribers } from "~db/queries/subscriber-lists";
import { escapeCell } from "./address-file/spreadsheet-cell";

/** Rows per query. */
const PAGE = 5_000;

const HEADER = ["email", "confirmed_at", "consent_source", "consent_recorded_at"];

/**
 * The addresses that the newsletter reaches as CSV, in chunks of constant size: UTF-8 with a byte order mark, in
 * which no cell is a formula to a spreadsheet program. An import reads back the same addresses.
 */
export async function* exportSubscribers(): AsyncGenerator<string> {
  yield csvOf([HEADER], { bom: true });
  let afterId: string | null = null;
  for (;;) {
    const page = await findReachedSubscribers({ afterId, limit: PAGE });
    const rows = page.map(({ email, confirmedAt, consentSource, consentRecordedAt }) => [
      email,
      confirmedAt?.toISOString() ?? "",
      consentSource ?? "",
      consentRecordedAt?.toISOString() ?? "",
    ]);
    if (rows.length > 0) yield csvOf(rows);
    if (page.length < PAGE) return;
    afterId = page.at(-1)?.id ?? null;
  }
}

function csvOf(rows: string[][], options: { bom?: boolean } = {}): string {
  return stringify(
    rows.map((row) => row.map(escapeCell)),
    { quoted: true, ...options },
  );
}
