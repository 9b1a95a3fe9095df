import { insertListedSubscribers } from "~db/queries/subscriber-lists";
import type { Encoding } from "./address-file/encoding.server";
import { type AddressBatch, openAddressFile } from "./address-file/read-address-file.server";
import { RefusalReport } from "./address-file/refusal-report.server";
import { SUPPRESSION_REASONS } from "./suppression-reasons";
import { unsubscribeTokensOf } from "./unsubscribe-token.server";

/** How much of a file has been read. */
export type ImportProgress = { bytesRead: number; size: number; records: number };

export type ImportResult = {
  encoding: Encoding;
  /** Subscribers added, and existing ones that became confirmed. */
  added: number;
  confirmed: number;
  /** Addresses that were on the list already, and repeated ones in the file. */
  known: number;
  repeated: number;
  /** Valid addresses on the suppression list; also listed in the report. */
  suppressed: number;
  /** Records without a valid address. */
  refused: number;
  /** The file that lists the refused records; null if there are none. */
  report: string | null;
};

type Options = {
  source: string;
  onProgress?: (progress: ImportProgress) => void;
};

/**
 * Imports a file's addresses as confirmed and stores the source of their consent. Each batch commits separately, so
 * an interrupted import can simply be run again. Memory use is constant. Throws an OperatorError if the file is not a
 * list of addresses, or the report cannot be written. Also throws for a column that looks like a status, since the
 * file may list people who have left.
 */
export async function importSubscribers(
  file: string,
  { source, onProgress }: Options,
): Promise<ImportResult> {
  const { encoding, size, batches } = await openAddressFile(file, { refuseStatus: true });
  const report = await RefusalReport.start(file);
  const now = new Date();
  const counts = { added: 0, confirmed: 0, known: 0, repeated: 0, suppressed: 0, refused: 0 };
  let records = 0;
  try {
    for await (const batch of batches) {
      const refused = await importBatch(batch, { source, now, counts });
      await report.write(refused);
      records += batch.addresses.length + batch.refused.length;
      onProgress?.({ bytesRead: batch.bytesRead, size, records });
    }
  } finally {
    await report.close();
  }
  const hasReport = counts.suppressed + counts.refused > 0;
  return { encoding, ...counts, report: hasReport ? report.path : null };
}

type Counts = Omit<ImportResult, "encoding" | "report">;

/** Imports a batch and returns the records for the report, in the file's order. */
async function importBatch(
  { addresses, refused }: AddressBatch,
  { source, now, counts }: { source: string; now: Date; counts: Counts },
): Promise<AddressBatch["refused"]> {
  counts.refused += refused.length;
  const emails = [...new Set(addresses.map(({ email }) => email))];
  const tokens = await unsubscribeTokensOf(emails);
  const outcomes = await insertListedSubscribers(
    emails.map((email, index) => ({ email, unsubscribeToken: tokens[index] ?? "" })),
    { source, now },
  );
  const suppressed: AddressBatch["refused"] = [];
  const counted = new Set<string>();
  for (const { line, email } of addresses) {
    const outcome = outcomes.get(email);
    if (outcome?.kind === "suppressed") {
      suppressed.push({
        line,
        value: email,
        reason: `suppressed: ${SUPPRESSION_REASONS[outcome.reason]}`,
      });
      counts.suppressed += 1;
    } else if (outcome) {
      counts[counted.has(email) ? "repeated" : outcome.kind] += 1;
      counted.add(email);
    }
  }
  return [...refused, ...suppressed].toSorted((one, other) => one.line - other.line);
}
