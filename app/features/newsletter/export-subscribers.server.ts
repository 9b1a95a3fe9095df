import { type ListedSubscriber, readSubscribers } from "~db/queries/subscriber-lists";
import type { SuppressionReason } from "~db/suppression-reasons";
import { csvOf } from "./address-file/spreadsheet-cell";

/** Rows written per chunk. */
const PAGE = 5_000;

const HEADER = [
  "email",
  "status",
  "created_at",
  "confirmed_at",
  "consent_source",
  "consent_recorded_at",
];

/** The status of a suppressed subscriber, in words that an import understands. */
const SUPPRESSED: Record<SuppressionReason, string> = {
  "hard-bounce": "bounced",
  listed: "bounced",
  unsubscribed: "unsubscribed",
  complaint: "complained",
};

/**
 * Writes the whole list as CSV in chunks of constant size, with each address's status: UTF-8 with a byte order mark,
 * with formulas escaped for spreadsheet programs. An import reads back the same list, without those unconfirmed.
 */
export async function exportSubscribers(write: (csv: string) => Promise<void>): Promise<void> {
  await write(csvOf([HEADER], { bom: true }));
  await readSubscribers(PAGE, (page) =>
    write(
      csvOf(
        page.map((subscriber) => [
          subscriber.email,
          statusOf(subscriber),
          subscriber.createdAt.toISOString(),
          subscriber.confirmedAt?.toISOString() ?? "",
          subscriber.consentSource ?? "",
          subscriber.consentRecordedAt?.toISOString() ?? "",
        ]),
      ),
    ),
  );
}

function statusOf({ suppression, confirmedAt }: ListedSubscriber): string {
  if (suppression !== null) return SUPPRESSED[suppression];
  return confirmedAt ? "subscribed" : "unconfirmed";
}
