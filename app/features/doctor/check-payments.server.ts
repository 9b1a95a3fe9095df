import { env } from "~/env.server";
import { ADVICE } from "~/features/billing/doctor-finding";
import { examineStripeSettings } from "~/features/billing/stripe-doctor.server";
import { type AreaFinding, ok, warning } from "./finding";

/** Key, price, webhook endpoint and the arrival of events at Stripe; `stripe doctor` checks every member too. */
export async function checkPayments(hasDatabase: boolean): Promise<AreaFinding[]> {
  const { STRIPE, SANDBOX } = env();
  if (SANDBOX) return [ok("mode", "the local sandbox, without real money")];
  if (!STRIPE) {
    return [
      warning(
        "settings",
        "not set: nothing is sold",
        "Set STRIPE_SECRET_KEY, and run 'stripe setup': docs/going-live.md.",
      ),
    ];
  }
  const findings = await examineStripeSettings(hasDatabase);
  return findings
    .filter(
      ({ ok, what }, index) =>
        !ok || what !== "Event" || findings.findIndex((other) => other.what === "Event") === index,
    )
    .map(({ ok, what, found, advice }) => ({
      what: what.charAt(0).toLowerCase() + what.slice(1),
      level: ok ? "ok" : "problem",
      found,
      ...(ok || !advice ? {} : { advice: ADVICE[advice] }),
    }));
}
