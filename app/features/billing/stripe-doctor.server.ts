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

/** Those that take a few calls, however many members there are; the last of them ask the database too. */
const QUICK: readonly Check[] = [
  ["Webhook endpoint", checkWebhook],
  ["Portal configuration", checkPortal],
];
const QUICK_WITH_DATABASE: readonly Check[] = [
  ["Delivery of events", checkDelivery],
  ["Last events", checkEvents],
];

/**
 * The part of `examineStripe` that looks at no single member: the key, and with a key that works the rest, at the same
 * time. Changes nothing.
 */
export async function examineStripeSettings(hasDatabase: boolean): Promise<Finding[]> {
  const key = await run(["Key", checkKey], {});
  if (key.some(({ ok }) => !ok)) return key;
  const price = await run(["Price", checkPrice], {});
  // what was sold before is told from the price on sale
  const isKnown = price.every(({ ok }) => ok);
  const findings = await Promise.all(
    [
      ...QUICK,
      ...(hasDatabase ? QUICK_WITH_DATABASE : []),
      ...(hasDatabase && isKnown ? [["Product", checkProducts] as const] : []),
    ].map((check) => run(check, {})),
  );
  return [...key, ...price, ...findings.flat()];
}

/**
 * Checks everything between a payment and access: key and mode, price, webhook endpoint and its deliveries,
 * portal, every subscription and every member. Changes nothing, and a check that fails does not stop the
 * others. With `afterId` only the members after it are checked, to resume an interrupted run.
 */
export async function examineStripe(walk: MembersWalk = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of walk.afterId ? [MEMBERS] : CHECKS) findings.push(...(await run(check, walk)));
  return findings;
}

async function run([what, check]: Check, walk: MembersWalk): Promise<Finding[]> {
  try {
    return await check(walk);
  } catch (error) {
    const advice =
      error instanceof Stripe.errors.StripePermissionError ? "givePermission" : "tryAgain";
    return [
      { ok: false, what, found: `could not be checked: ${(error as Error).message}`, advice },
    ];
  }
}
