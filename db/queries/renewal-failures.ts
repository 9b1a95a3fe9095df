import { sql } from "drizzle-orm";
import type { Executor, Transaction } from "../client";
import { renewalFailures } from "../schema";
import { month } from "./statistics";

/** An invoice for a renewal: one whose charge failed, or one that was paid, perhaps after that. */
export type RenewalInvoice = { invoiceId: string; failedAt: Date | null; paidAt: Date | null };

/** Records which renewals have failed, once each, and which of those recorded were paid after all. */
export async function recordRenewalFailures(
  invoices: readonly RenewalInvoice[],
  tx: Transaction,
): Promise<void> {
  if (invoices.length === 0) return;
  await tx.execute(sql`
    with given as (
      select sha256(convert_to("invoiceId", 'UTF8')) as hash, "failedAt" as failed_at, "paidAt" as paid_at
      from json_to_recordset(${JSON.stringify(invoices)}::json)
        given ("invoiceId" text, "failedAt" timestamptz, "paidAt" timestamptz)
    ), recovered as (
      update ${renewalFailures} known set recovered_at = given.paid_at
      from given where known.invoice_hash = given.hash and given.paid_at is not null and known.recovered_at is null
    )
    insert into ${renewalFailures} (invoice_hash, failed_at)
    select hash, failed_at from given where failed_at is not null
    on conflict do nothing`);
}

/** Renewals that failed, and those that were paid after all, by calendar month in UTC of either. */
export async function countRenewalFailures(
  executor: Executor,
): Promise<{ month: string; failed: number; recovered: number }[]> {
  return executor.execute<{ month: string; failed: number; recovered: number }>(sql`
    with changes as (
      select failed_at as at, 1 as failed, 0 as recovered from ${renewalFailures}
      union all
      select recovered_at, 0, 1 from ${renewalFailures} where recovered_at is not null
    )
    select ${month("at")} as month, sum(failed)::int as failed, sum(recovered)::int as recovered
    from changes group by 1 order by 1`);
}
