import { csvOf } from "~/features/newsletter/address-file/spreadsheet-cell";
import { findMembers, type MemberFilter } from "~db/queries/members";

/** Rows written per chunk. */
const PAGE = 1_000;

const HEADER = ["email", "created_at", "email_confirmed_at", "premium_until"];

/**
 * Writes accounts by address as CSV, in chunks of constant size and without a transaction between them: UTF-8 with a byte
 * order mark, with formulas escaped for spreadsheet programs.
 */
export async function exportMembers(
  { limit = Number.POSITIVE_INFINITY, ...filter }: MemberFilter & { limit?: number },
  write: (csv: string) => Promise<void>,
): Promise<void> {
  await write(csvOf([HEADER], { bom: true }));
  let left = limit;
  let after: string | null = null;
  while (left > 0) {
    const page = await findMembers({ ...filter, after, limit: Math.min(PAGE, left) });
    if (page.length === 0) return;
    await write(
      csvOf(
        page.map(({ email, ...dates }) => [
          email,
          ...[dates.createdAt, dates.emailConfirmedAt, dates.premiumUntil].map(
            (date) => date?.toISOString() ?? "",
          ),
        ]),
      ),
    );
    after = page.at(-1)?.email ?? null;
    left -= page.length;
  }
}
