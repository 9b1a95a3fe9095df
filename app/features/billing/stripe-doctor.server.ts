import Stripe from "stripe";
import {
  checkDomain,
  checkKey,
  checkPortal,
  checkPrice,
  checkProducts,
} from "./doctor-account.server";
import { checkCustomers } from "./doctor-customers.server";
import type { Finding } from "./doctor-finding";
import { checkMembers, type MembersWalk } from "./doctor-members.server";
import { checkSubscriptions } from "./doctor-subscriptions.server";
import { checkDelivery, checkEvents, checkWebhook } from "./doctor-webhook.server";

type Check = readonly [string, (walk: MembersWalk) => Promise<Finding[]>];

const MEMBERS: Check = ["Members", checkMembers];

/** All checks, with the name of the finding when a check itself fails. */
const CHECKS: readonly Check[] = [
  ["Key", checkKey],
  ["Price", checkPrice],
  ["Product", checkProducts],
  ["Webhook endpoint", checkWebhook],
  ["Delivery of events", checkDelivery],
  ["Last events", checkEvents],
  ["Portal configuration", checkPortal],
  ["Domain of Stripe's pages", checkDomain],
  ["Subscriptions", checkSubscriptions],
  ["Customers", checkCustomers],
  MEMBERS,
];

/**
 * Checks everything between a payment and access: key and mode, price, webhook endpoint and its deliveries,
 * portal, every subscription and every member. Changes nothing, and a check that fails does not stop the
 * others. With `afterId` only the members after it are checked, to resume an interrupted run.
 */
export async function examineStripe(walk: MembersWalk = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [what, check] of walk.afterId ? [MEMBERS] : CHECKS) {
    try {
      findings.push(...(await check(walk)));
    } catch (error) {
      findings.push({
        ok: false,
        what,
        found: `could not be checked: ${(error as Error).message}`,
        advice:
          error instanceof Stripe.errors.StripePermissionError ? "givePermission" : "tryAgain",
      });
    }
  }
  return findings;
}
