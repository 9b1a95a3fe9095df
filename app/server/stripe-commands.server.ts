import Stripe from "stripe";
import { env, setEnvironment } from "~/env.server";
import { reconcile, reconcileAll } from "~/features/billing/reconcile.server";
import { examineStripe } from "~/features/billing/stripe-doctor.server";
import { setUpStripe } from "~/features/billing/stripe-setup.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { OperatorError } from "~db/operator-error";
import { findProfile } from "~db/queries/profiles";
import { findUserByEmail } from "~db/queries/users";
import { openDatabase } from "./open-database.server";

const print = (line = "") => process.stdout.write(`${line}\n`);

/** `stripe setup`: makes what is missing at Stripe and prints the lines for the environment. */
export async function setup(): Promise<void> {
  setEnvironment({}, { partialStripe: true });
  if (!env().STRIPE_API) {
    throw new OperatorError(
      "STRIPE_SECRET_KEY: found nothing, wanted the secret key of your Stripe account (sk_test_… or sk_live_…).",
    );
  }
  const { steps, priceId, webhookSecret } = await askStripe(setUpStripe);
  for (const { what, id, outcome } of steps) print(`${outcome.padEnd(8)} ${what}: ${id}`);
  print();
  print("Set these beside STRIPE_SECRET_KEY:");
  print(`STRIPE_PRICE_ID=${priceId}`);
  print(
    webhookSecret
      ? `STRIPE_WEBHOOK_SECRET=${webhookSecret}`
      : "# STRIPE_WEBHOOK_SECRET stays as it is; Stripe's dashboard shows it at the endpoint",
  );
}

/** `stripe sync`: the rows that may have missed an event, all of them, or one member's. */
export async function sync({ all, user }: { all?: boolean; user?: string }): Promise<void> {
  requireConfigured();
  if (all && user) throw new OperatorError("Choose either --all or --user, not both.");
  await withDatabase(async () => {
    if (user) return syncUser(user);
    const { synced, failed } = all ? await reconcileAll() : await reconcile(new Date(), 0);
    print(`${synced} synced, ${failed} failed`);
    if (failed > 0) process.exitCode = 1;
  });
}

async function syncUser(email: string): Promise<void> {
  const user = await findUserByEmail(email);
  const profile = user && (await findProfile(user.id));
  if (!profile) throw new OperatorError("Nobody has an account with this address.");
  const { stripeCustomerId } = profile;
  if (!stripeCustomerId) {
    throw new OperatorError("This account never opened a checkout, so Stripe does not know it.");
  }
  const outcome = await askStripe(() => syncCustomer(stripeCustomerId));
  if (outcome.kind !== "synced") throw new OperatorError("The account is gone.");
  const { stripeSubscriptionStatus, stripeCurrentPeriodEnd } = outcome.state;
  print(
    `subscription ${stripeSubscriptionStatus ?? "none"}, access ${
      stripeCurrentPeriodEnd ? `until ${stripeCurrentPeriodEnd.toISOString()}` : "none"
    }`,
  );
}

/** `stripe doctor`: prints each finding, and exits with 1 if something is off. */
export async function doctor(): Promise<void> {
  requireConfigured();
  await withDatabase(async () => {
    const findings = await examineStripe();
    for (const { ok, what, found, advice } of findings) {
      print(`${ok ? "ok " : "OFF"} ${what}: ${found}${advice ? `. ${advice}` : ""}`);
    }
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}

function requireConfigured(): void {
  if (!env().STRIPE) {
    throw new OperatorError(
      "Payments are not configured: set the Stripe variables (run 'stripe setup' first), or PAYMENTS=sandbox.",
    );
  }
}

async function withDatabase(work: () => Promise<void>): Promise<void> {
  const database = await openDatabase("command");
  try {
    await work();
  } finally {
    await database.close();
  }
}

/** Turns what Stripe refuses into a sentence for the operator. */
async function askStripe<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) {
      throw new OperatorError(`Stripe refused: ${error.message}`);
    }
    throw error;
  }
}
