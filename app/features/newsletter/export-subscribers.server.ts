import { readSubscribers } from "~db/queries/subscriber-lists";
import { csvOf } from "./address-file/spreadsheet-cell";

/** Rows written per chunk. */
const PAGE = 1_000;

const HEADER = [
  "email",
  "status",
  "created_at",
  "confirmed_at",
  "consent_source",
  "consent_recorded_at",
];

/**
 * Writes the whole list as CSV in chunks of constant size, with each address's status: UTF-8 with a byte order mark,
 * with formulas escaped for spreadsheet programs. An import reads back the same list, without those unconfirmed.
 */
export async function exportSubscribers(write: (csv: string) => Promise<void>): Promise<void> {
  await write(csvOf([HEADER], { bom: true }));
  await readSubscribers(PAGE, (page) =>
    write(
      csvOf(
        page.map(({ email, suppression, createdAt, confirmedAt, consentSource, ...consent }) => [
          email,
          suppression ?? (confirmedAt ? "subscribed" : "unconfirmed"),
          createdAt.toISOString(),
          confirmedAt?.toISOString() ?? "",
          consentSource ?? "",
          consent.consentRecordedAt?.toISOString() ?? "",
        ]),
      ),
    ),
  );
}
