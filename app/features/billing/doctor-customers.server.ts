import { findMissingUsers } from "~db/queries/billing-examination";
import { type Finding, named } from "./doctor-finding";
import { inPages } from "./in-pages";
import { isUuid } from "./reconcile-from-stripe.server";
import { stripeClient } from "./stripe-client.server";

const PAGE = 100;

/**
 * Walks the account's customers and names those that this site made for accounts that are gone. They are no
 * fault, since nothing is charged for a customer; a membership one of them pays is a finding of its own.
 */
export async function checkCustomers(): Promise<Finding[]> {
  const ownerless: string[] = [];
  let looked = 0;
  const customers = stripeClient().customers.list({ limit: PAGE });
  for await (const page of inPages(customers, PAGE)) {
    const userIds = page.flatMap(({ metadata: { userId } }) =>
      userId && isUuid(userId) ? [userId] : [],
    );
    const missing = await findMissingUsers(userIds);
    for (const { id, metadata } of page) if (missing.has(metadata.userId ?? "")) ownerless.push(id);
    looked += userIds.length;
  }
  const found =
    ownerless.length === 0
      ? `all ${looked} belong to an account`
      : `${ownerless.length} of ${looked} are of accounts that are gone: ${named(ownerless)}; those that you sell nothing else to may be deleted in Stripe's dashboard`;
  return [{ ok: true, what: "Customers", found }];
}
