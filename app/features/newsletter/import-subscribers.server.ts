import { insertListedSubscribers } from "~db/queries/subscriber-lists";
import type { Encoding } from "./address-file/encoding.server";
import { type AddressBatch, openAddressFile } from "./address-file/read-address-file.server";
import { RefusalReport } from "./address-file/refusal-report.server";
import { SUPPRESSION_REASONS } from "./suppression-reasons";
import { unsubscribeTokensOf } from "./unsubscribe-token.server";

/** How far a file has been read. */
export type ImportProgress = { bytesRead: number; size: number; records: number };

export type ImportResult = {
  encoding: Encoding;
  /** New on the list, and on it before without confirmation. */
  added: number;
  confirmed: number;
  /** On the list before, and more than once in the file. */
  known: number;
  repeated: number;
  /** Valid addresses that are on the suppression list; they are in the report, too. */
  suppressed: number;
  /** Records without a valid address. */
  refused: number;
  /** The file that lists what was refused; null if nothing was. */
  report: string | null;
};

type Options = {
  source: string;
  onProgress?: (progress: ImportProgress) => void;
};

/**
 * Adds a file's addresses to the list as confirmed, and keeps where their consent comes from. Each batch is
 * committed by itself, so an import that was interrupted is simply run again. Memory is constant. Throws an
 * OperatorError if the file is not a list of addresses, has a column that looks like a status, since it may list people who
 * have left, or the report cannot be written.
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

/** What goes into the report, in the order of the file. */
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
