import { liftSuppressions, suppressAddresses } from "~db/queries/suppressed-addresses";
import { openAddressFile } from "./address-file/read-address-file.server";
import { RefusalReport } from "./address-file/refusal-report.server";

/** The change to make for a file's addresses: suppress them for a reason, or lift their suppression. */
export type SuppressionChange = "listed" | "complaint" | "lift";

export type SuppressionResult = {
  /** Addresses whose suppression was changed. */
  changed: number;
  /** Subscribers deleted because they complained. */
  deleted: number;
  /** Addresses in the file, including repeated ones. */
  addresses: number;
  refused: number;
  /** The file that lists the refused records; null if there are none. */
  report: string | null;
};

/**
 * Suppresses a file's addresses, or lifts their suppression unless its reason is a complaint. Idempotent. Throws an
 * OperatorError if the file is not a list of addresses, or the report cannot be written.
 */
export async function changeSuppressions(
  file: string,
  change: SuppressionChange,
): Promise<SuppressionResult> {
  const { batches } = await openAddressFile(file);
  const report = await RefusalReport.start(file);
  const counts = { changed: 0, deleted: 0, addresses: 0, refused: 0 };
  try {
    for await (const { addresses, refused } of batches) {
      const emails = [...new Set(addresses.map(({ email }) => email))];
      if (change === "lift") {
        counts.changed += await liftSuppressions(emails);
      } else {
        const { suppressed, deleted } = await suppressAddresses(emails, change);
        counts.changed += suppressed;
        counts.deleted += deleted;
      }
      counts.addresses += addresses.length;
      counts.refused += refused.length;
      await report.write(refused);
    }
  } finally {
    await report.close();
  }
  return { ...counts, report: counts.refused > 0 ? report.path : null };
}
