import { findMissingUsers } from "~db/queries/billing-examination";
import { type Finding, named } from "./doctor-finding";
import { inPages } from "./in-pages";
import { isUuid } from "./reconcile-from-stripe.server";
import { stripeClient } from "./stripe-client.server";

const PAGE_SIZE = 100;

/**
 * Lists the customers that this site created for accounts that have since been deleted. They are not an error,
 * since a customer alone is not charged; a membership that one of them pays is a separate finding.
 */
export async function checkCustomers(): Promise<Finding[]> {
  const ownerless: string[] = [];
  let checked = 0;
  const customers = stripeClient().customers.list({ limit: PAGE_SIZE });
  for await (const page of inPages(customers, PAGE_SIZE)) {
    const userIds = page.flatMap(({ metadata: { userId } }) =>
      userId && isUuid(userId) ? [userId] : [],
    );
    const missing = await findMissingUsers(userIds);
    for (const { id, metadata } of page) if (missing.has(metadata.userId ?? "")) ownerless.push(id);
    checked += userIds.length;
  }
  const found =
    ownerless.length === 0
      ? `all ${checked} belong to an account`
      : `${ownerless.length} of ${checked} are of accounts that are gone: ${named(ownerless)}; those that you sell nothing else to may be deleted in Stripe's dashboard`;
  return [{ ok: true, what: "Customers", found }];
}
