import Stripe from "stripe";
import { env, setEnvironment } from "~/env.server";
import type { Progress } from "~/features/billing/billed-profiles.server";
import { UnknownCustomer } from "~/features/billing/customer-billing.server";
import { reconcileAll, reconcileNow } from "~/features/billing/reconcile.server";
import {
  giveMembership,
  reconcileFromStripe,
} from "~/features/billing/reconcile-from-stripe.server";
import {
  forwardingCommand,
  type WebhookSecretState,
  webhookAddress,
} from "~/features/billing/setup-webhook.server";
import { type SetupOptions, setUpStripe } from "~/features/billing/stripe-setup.server";
import { adoptSite, startNewSite } from "~/features/billing/stripe-site.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { examineStripe } from "~/features/checks/check-stripe.server";
import { OperatorError } from "~db/operator-error";
import { findProfile } from "~db/queries/profiles";
import { findUserByEmail } from "~db/queries/users";
import { isUuid } from "~db/uuid";
import { print, printAnswers } from "./output.server";
import { requireEmail } from "./parameters.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { newSite as "new-site" };

/** `stripe setup`: creates what is missing at Stripe and prints the environment variables to set. */
export async function setup(options: SetupOptions): Promise<void> {
  setEnvironment({}, { partialStripe: true });
  if (!env().STRIPE_API) {
    throw new OperatorError(
      "STRIPE_SECRET_KEY: found nothing, wanted the secret key of your Stripe account (sk_test_… or sk_live_…).",
    );
  }
  // what it creates carries the site's id, which is in the database
  await withDatabase(() => setUpWithDatabase(options));
}

async function setUpWithDatabase(options: SetupOptions): Promise<void> {
  const { steps, priceId, webhook } = await askStripe(() => setUpStripe(options));
  for (const { what, id, outcome } of steps) print(`${outcome.padEnd(8)} ${what}: ${id}`);
  print();
  print("Set these beside STRIPE_SECRET_KEY, and restart the site:");
  print(`STRIPE_PRICE_ID=${priceId}`);
  for (const line of secretLines(webhook)) print(line);
  if (steps.some(({ outcome }) => outcome === "archived")) {
    print();
    print(
      "The product is archived, so no one can buy. To sell it again: 'stripe setup --unarchive'.",
    );
  }
  const { priceId: former } = env().STRIPE_KNOWN;
  if (former && former !== priceId) {
    print();
    print(`Members at the previous price, ${former}, keep paying it.`);
  }
  if (webhook.kind === "rejected") {
    throw new OperatorError(
      `Stripe rejected the webhook endpoint ${webhookAddress()}: ${webhook.message} Check PUBLIC_URL, then run this again.`,
    );
  }
}

/**
 * Settings or steps that make webhook signatures valid; comment lines start with # as in an env file.
 */
function secretLines(webhook: WebhookSecretState): string[] {
  const { webhookSecrets } = env().STRIPE_KNOWN;
  switch (webhook.kind) {
    case "new":
      return [
        // the endpoint being replaced keeps signing with its own secret until the next run
        `STRIPE_WEBHOOK_SECRET=${[webhook.secret, ...(webhook.replaces ? webhookSecrets : [])].join()}`,
        ...(webhook.replaces
          ? [
              "# Once the site runs with it, run 'stripe setup' again to disable the endpoint that is replaced.",
            ]
          : []),
      ];
    case "local":
      return [
        "# Stripe cannot reach PUBLIC_URL, so no webhook endpoint is created. Forward the events instead",
        "# (https://docs.stripe.com/stripe-cli), and set STRIPE_WEBHOOK_SECRET to the whsec_… this prints:",
        `# ${forwardingCommand()}`,
      ];
    case "configured":
      return ["# STRIPE_WEBHOOK_SECRET stays as it is."];
    case "not configured":
      return [
        "# STRIPE_WEBHOOK_SECRET lacks the endpoint's secret, shown only when it was created. If it is lost,",
        "# 'stripe setup --new-webhook-secret' creates another endpoint.",
      ];
    case "unknown":
      return [
        "# STRIPE_WEBHOOK_SECRET stays as it is; Stripe's dashboard shows it at the endpoint.",
      ];
    case "rejected":
      return [];
  }
}

type SyncOptions = {
  all?: boolean;
  fromStripe?: boolean;
  user?: string;
  after?: string;
  unlinkUnknown?: boolean;
};

/**
 * `stripe sync`: syncs the rows that may have missed an event, all rows, one member, or every subscription at
 * Stripe.
 */
export async function sync(options: SyncOptions): Promise<void> {
  requireConfigured();
  const { all, fromStripe, user, after = null, unlinkUnknown } = options;
  if ([all, fromStripe, user].filter(Boolean).length > 1) {
    throw new OperatorError("Choose one of --all, --from-stripe and --user.");
  }
  if ((after !== null || unlinkUnknown) && !all) {
    throw new OperatorError("--after and --unlink-unknown go with --all.");
  }
  requireId(after);
  await withDatabase(async () => {
    if (user) return syncUser(user);
    if (fromStripe) return syncFromStripe();
    const { synced, failed, unknown } = all
      ? await reconcileAll({ afterId: after, onProgress: reportProgress, unlinkUnknown })
      : await askStripe(reconcileNow);
    print(`${synced} synced, ${failed} failed`);
    if (unknown.length > 0) {
      print(
        unlinkUnknown
          ? `${unknown.length} of the rows named a customer that this account and mode does not have; they have been unlinked.`
          : `${unknown.length} of the rows name a customer that this account and mode does not have, and were left as they are. If STRIPE_SECRET_KEY is the right one, as after a change from test to live mode, run 'stripe sync --all --unlink-unknown'.`,
      );
    }
    if (failed > 0) process.exitCode = 1;
  });
}

/** Brings rows and Stripe into line after restoring a backup: what the rows know, then what they have lost. */
async function syncFromStripe(): Promise<void> {
  const rows = await reconcileAll({ onProgress: reportProgress });
  const { synced, failed, adopted, unresolved } = await askStripe(() =>
    reconcileFromStripe((checked) => process.stderr.write(`${checked} memberships checked\n`)),
  );
  print(`${synced} synced, ${rows.failed + failed} failed`);
  for (const { subscriptionId, owner } of adopted) {
    if ("userId" in owner) print(`restored to account ${owner.userId}: ${subscriptionId}`);
  }
  let isWrong = rows.failed + failed > 0;
  for (const { subscriptionId, stripeCustomerId, owner } of unresolved) {
    if (owner.kind === "not-sold") {
      print(
        `not sold by this site: ${subscriptionId} of ${stripeCustomerId}; 'stripe give ${subscriptionId} <email>' gives it to an account`,
      );
      continue;
    }
    isWrong = true;
    print(
      owner.kind === "surplus"
        ? `account ${owner.userId} pays twice: ${subscriptionId} of ${stripeCustomerId} beside one of ${owner.linkedCustomer}; refund and cancel one of them in Stripe's dashboard`
        : `no account has ${subscriptionId} of ${stripeCustomerId}; its holder gets it back by signing up again and confirming the address. If the account was deleted, cancel it in Stripe's dashboard`,
    );
  }
  if (isWrong) process.exitCode = 1;
}

/** `stripe give`: gives a membership that this site did not sell to an account. */
export async function give(subscriptionId: string, email: string): Promise<void> {
  requireConfigured();
  await withDatabase(() => askStripe(() => giveMembership(subscriptionId, requireEmail(email))));
  print(`given: ${subscriptionId}`);
}

/** `stripe adopt`: the site has moved to PUBLIC_URL, or continues another one. */
export async function adopt({ site }: { site?: string }): Promise<void> {
  await withDatabase(() => adoptSite(site));
  print("Adopted. Run 'stripe setup' for the endpoint and the portal at this address.");
}

/** `stripe new-site`: this database is a copy, and its site is to be one of its own at Stripe. */
async function newSite(): Promise<void> {
  await withDatabase(async () => {
    print(`A new site. ${await startNewSite()} accounts no longer have a customer or membership.`);
  });
  print("Run 'stripe setup', set what it prints, and restart the site.");
}

/** On standard error, so that standard output holds the result alone. */
function reportProgress({ done, total, secondsLeft, reached }: Progress): void {
  const minutes = Math.ceil(secondsLeft / 60);
  process.stderr.write(
    `${done} of ${total}, about ${minutes} min left; resume from here with --after ${reached}\n`,
  );
}

async function syncUser(email: string): Promise<void> {
  const user = await findUserByEmail(requireEmail(email));
  const profile = user && (await findProfile(user.id));
  if (!profile) throw new OperatorError("No account has this address.");
  const { stripeCustomerId } = profile;
  if (!stripeCustomerId) {
    throw new OperatorError("This account never opened a checkout, so Stripe does not know it.");
  }
  const outcome = await askStripe(() => syncCustomer(stripeCustomerId));
  if (outcome.kind !== "synced") throw new OperatorError("The account no longer exists.");
  const { stripeSubscriptionStatus, stripeCurrentPeriodEnd } = outcome.state;
  print(
    `subscription ${stripeSubscriptionStatus ?? "none"}, access ${
      stripeCurrentPeriodEnd ? `until ${stripeCurrentPeriodEnd.toISOString()}` : "none"
    }`,
  );
}

/**
 * `stripe doctor`: prints each finding, and exits with 1 if there is a problem. Progress goes to standard
 * error, with the id to resume after.
 */
export async function doctor({ after = null }: { after?: string | null } = {}): Promise<void> {
  requireConfigured();
  requireId(after);
  await withDatabase(async () => {
    printAnswers(await examineStripe({ afterId: after, onProgress: reportProgress }));
  });
}

/** Throws unless `after` is an account id, as an interrupted run prints it. */
function requireId(after: string | null): void {
  if (after !== null && !isUuid(after)) {
    throw new OperatorError(
      "--after: wanted the id of an account, as printed by an interrupted run.",
    );
  }
}

function requireConfigured(): void {
  if (!env().STRIPE) {
    throw new OperatorError(
      "Payments are not configured: set the Stripe variables (run 'stripe setup' first), or PAYMENTS=sandbox.",
    );
  }
}

/** Turns an error from Stripe into a message for the operator. */
async function askStripe<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) {
      throw new OperatorError(`A call to Stripe failed: ${error.message}`);
    }
    if (error instanceof UnknownCustomer) throw new OperatorError(error.message);
    throw error;
  }
}
