import { z } from "zod";
import { pinCard } from "../engine/customer-cards";
import { cancelInvoice, writeOffInvoice } from "../engine/invoice-settlement";
import { invoicesOf } from "../engine/invoices";
import { backdate, renewNow, runDue } from "../engine/schedule";
import { endSubscription, setCancelAt, setCancelAtPeriodEnd } from "../engine/subscription-end";
import {
  changePrice,
  collectInvoice,
  giveUp,
  pauseSubscription,
  resumeSubscription,
} from "../engine/subscription-lifecycle";
import { isRenewing } from "../engine/subscriptions";
import type { ChargeOutcome } from "../engine/test-cards";
import { action, type ControlAction } from "./action";
import { ControlError } from "./error";
import { card, noInput, requireRunningSubscription, requireSubscription } from "./targets";

const FORCED_OUTCOMES: Record<string, ChargeOutcome> = {
  paid: { kind: "paid" },
  authentication: { kind: "authentication" },
  declined: {
    kind: "declined",
    code: "card_declined",
    declineCode: "generic_decline",
    message: "Your card was declined.",
  },
};

/** The control actions for subscriptions. */
export const subscriptionActions: ControlAction[] = [
  action(
    "POST",
    "/_control/subscriptions/:id/renew",
    z.object({
      outcome: z.enum(["card", "paid", "declined", "authentication", "draft"]).default("card"),
    }),
    ({ sandbox }, id, { outcome }) => {
      const subscription = requireSubscription(sandbox, id);
      if (!isRenewing(subscription)) throw new ControlError(409, `${id} does not renew.`);
      const invoice = renewNow(sandbox, subscription);
      if (outcome !== "draft" && !subscription.pause_collection)
        collectInvoice(sandbox, invoice, { forced: FORCED_OUTCOMES[outcome] });
      return { subscription, invoice };
    },
  ),
  action("POST", "/_control/subscriptions/:id/recover", noInput, ({ sandbox }, id) => {
    const subscription = requireRunningSubscription(sandbox, id);
    // an unpaid subscription has left the invoices of later periods as drafts
    const owed = invoicesOf(sandbox, subscription).filter(
      ({ status }) => status === "open" || (status === "draft" && subscription.status === "unpaid"),
    );
    if (owed.length === 0) throw new ControlError(409, `${id} owes nothing.`);
    for (const invoice of owed) collectInvoice(sandbox, invoice, { forced: FORCED_OUTCOMES.paid });
    return subscription;
  }),
  ...(["write-off", "void"] as const).map((end) =>
    action("POST", `/_control/subscriptions/:id/${end}`, noInput, ({ sandbox }, id) => {
      const subscription = requireSubscription(sandbox, id);
      const owed = invoicesOf(sandbox, subscription).filter(({ status }) => status === "open");
      if (owed.length === 0) throw new ControlError(409, `${id} owes nothing.`);
      for (const invoice of owed) {
        if (end === "void") cancelInvoice(sandbox, invoice);
        else writeOffInvoice(sandbox, invoice);
      }
      return subscription;
    }),
  ),
  action(
    "POST",
    "/_control/subscriptions/:id/price",
    z.object({ priceId: z.string() }),
    ({ sandbox }, id, { priceId }) => {
      const subscription = requireRunningSubscription(sandbox, id);
      const price = sandbox.state.prices.get(priceId);
      if (!price?.recurring) throw new ControlError(404, `There is no recurring price ${priceId}.`);
      changePrice(sandbox, subscription, price);
      return subscription;
    },
  ),
  action(
    "POST",
    "/_control/subscriptions/:id/card",
    z.object({ card }),
    ({ sandbox }, id, { card: number }) => {
      const subscription = requireRunningSubscription(sandbox, id);
      pinCard(sandbox, subscription, number);
      return subscription;
    },
  ),
  action(
    "POST",
    "/_control/subscriptions/:id/cancel-at",
    z.object({ days: z.coerce.number().positive().max(4_000) }),
    ({ sandbox }, id, { days }) => {
      const subscription = requireRunningSubscription(sandbox, id);
      setCancelAt(sandbox, subscription, sandbox.now() + Math.round(days * 86_400));
      return subscription;
    },
  ),
  action(
    "POST",
    "/_control/subscriptions/:id/give-up",
    z.object({ afterRetries: z.enum(["cancel", "unpaid", "past_due"]).optional() }),
    ({ sandbox }, id, { afterRetries }) => {
      const subscription = requireRunningSubscription(sandbox, id);
      const usual = sandbox.state.afterRetries;
      sandbox.state.afterRetries = afterRetries ?? usual;
      giveUp(sandbox, subscription);
      sandbox.state.afterRetries = usual;
      return subscription;
    },
  ),
  action("POST", "/_control/subscriptions/:id/cancel-at-period-end", noInput, (context, id) => {
    const subscription = requireRunningSubscription(context.sandbox, id);
    setCancelAtPeriodEnd(context.sandbox, subscription, true);
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/resume", noInput, ({ sandbox }, id) => {
    const subscription = requireRunningSubscription(sandbox, id);
    if (subscription.status === "paused") resumeSubscription(sandbox, subscription);
    else setCancelAtPeriodEnd(sandbox, subscription, false);
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/cancel", noInput, ({ sandbox }, id) => {
    const subscription = requireRunningSubscription(sandbox, id);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/pause", noInput, ({ sandbox }, id) => {
    const subscription = requireRunningSubscription(sandbox, id);
    if (subscription.status === "paused") throw new ControlError(409, `${id} is paused.`);
    pauseSubscription(sandbox, subscription);
    return subscription;
  }),
  action(
    "POST",
    "/_control/subscriptions/:id/age",
    z.object({ days: z.coerce.number().min(0).max(4_000) }),
    ({ sandbox }, id, { days }) => {
      const subscription = requireSubscription(sandbox, id);
      backdate(sandbox, subscription, Math.round(days * 86_400));
      runDue(sandbox);
      return subscription;
    },
  ),
];
