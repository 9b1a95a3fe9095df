import { redactAddresses } from "~/observability/log.server";
import { addToOpenAlert, insertAlert } from "~db/queries/operator-alerts";

const ALERT = "checkout-refused";

/** Opens the operator's alert about a checkout that Stripe refused, or brings it up to date with what Stripe said. */
export async function reportCheckoutRefusal(answer: string): Promise<void> {
  const facts = { answer: redactAddresses(answer), opened: 0 };
  const alert = { kind: ALERT, key: ALERT, facts, openedAt: new Date(), reportAfterMs: 0 };
  if (!(await insertAlert(alert))) await addToOpenAlert(ALERT, facts);
}

/** Ends that alert, since Stripe has opened a checkout; `app/features/checks/` tells the operator. */
export async function endCheckoutRefusal(): Promise<void> {
  await addToOpenAlert(ALERT, { opened: 1 });
}
