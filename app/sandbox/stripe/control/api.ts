/**
 * The control API: what a tester can make the sandbox do. The control page's forms post to the same
 * paths. A JSON body gets JSON, a form a redirect to the control page. `:id` is a
 * Stripe id. All fields are optional unless said otherwise.
 *
 *     POST   /_control/reset          forget all but catalogue, portal configurations and endpoints
 *     POST   /_control/settings       { afterRetries: "cancel" | "unpaid" | "past_due",
 *                                       customDomain: the origin of new checkout and portal addresses,
 *                                       such as http://pay.localhost:3001; "" for the sandbox's own }
 *
 *     GET    /_control/clock          { now, offset } in seconds
 *     POST   /_control/clock          { days, seconds } moves it on: renewals, retries, ends, expiries
 *
 *     POST   /_control/sessions/:id/pay      { card: "4242424242424242" | … | "bank_account", email }
 *                                              any 3-D Secure is passed
 *     POST   /_control/sessions/:id/expire
 *     POST   /_control/sessions/:id/settle   a delayed payment succeeds
 *     POST   /_control/sessions/:id/fail     a delayed payment fails
 *
 *     POST   /_control/customers/:id/subscribe  { card, priceId } a subscription without a session
 *     POST   /_control/customers/:id/card       { card } the customer's default, as in the portal:
 *                                                 neither pays nor changes a subscription's own card
 *     POST   /_control/customers/:id/delete
 *     POST   /_control/customers/:id/forget     as if the keys were another account's
 *
 *     POST   /_control/subscriptions/:id/renew  { outcome: "card" | "paid" | "declined" |
 *                                                 "authentication" | "draft" } a new period, now;
 *                                                 "draft" leaves its invoice to the clock
 *     POST   /_control/subscriptions/:id/recover   its open invoices are paid, and the
 *                                                  drafts of an unpaid one
 *     POST   /_control/subscriptions/:id/card      { card } its own card; pays nothing
 *     POST   /_control/subscriptions/:id/write-off its open invoices are marked uncollectible
 *     POST   /_control/subscriptions/:id/void      its open invoices are voided
 *     POST   /_control/subscriptions/:id/price     { priceId (required) } from its next period on
 *     POST   /_control/subscriptions/:id/give-up   { afterRetries } as after the last retry
 *     POST   /_control/subscriptions/:id/cancel-at-period-end
 *     POST   /_control/subscriptions/:id/cancel-at { days (required) } from now
 *     POST   /_control/subscriptions/:id/resume    takes that back; ends a pause
 *     POST   /_control/subscriptions/:id/cancel    at once
 *     POST   /_control/subscriptions/:id/pause
 *     POST   /_control/subscriptions/:id/age       { days } as if everything had happened earlier,
 *                                                  for a site whose own clock cannot be moved
 *     POST   /_control/subscriptions/:id/refund    { amount, payment: "first" | "last" } a payment, or
 *                                                  a part in cents
 *     POST   /_control/refunds/:id/fail            the bank returns the money
 *     POST   /_control/subscriptions/:id/dispute   { inquiry, payment: "first" | "last" }
 *     POST   /_control/disputes/:id/close          { won: boolean }; an inquiry is only won
 *
 *     POST   /_control/endpoints      { url (required), events, apiVersion } a webhook endpoint,
 *                                       on this machine too, which the API rejects
 *     POST   /_control/webhooks       { mode: "deliver" | "hold" | "drop", duplicates } for events
 *                                       from now on
 *     POST   /_control/webhooks/reset    all delivered at once, as by default
 *     POST   /_control/webhooks/release  { order: "arrival" | "reverse" | "random" | "together" }
 *                                        held ones are sent; responds when all were attempted
 *     POST   /_control/webhooks/retry    pending retries are made now
 *     POST   /_control/webhooks/settle   { timeoutMs, retries } waits until none is pending
 *
 *     POST   /_control/faults         { kind: "error" | "slow" | "truncate" | "destroy" (required),
 *                                       times (1; 0 forever), when: "before" | "after", match:
 *                                       "POST /v1/customers", status (500), ms (1000) }; an error
 *                                       from 500 on is stored under the idempotency key
 *     POST   /_control/faults/clear
 *     GET    /_control/requests       { counts: { "POST /v1/customers": 1 }, requests }
 *     POST   /_control/requests/clear
 */
import { z } from "zod";
import { advanceClock } from "../engine/schedule";
import { emptyState, type State } from "../engine/state";
import { matchPath } from "../http/path-pattern";
import {
  action,
  type ControlAction,
  type ControlContext,
  ControlError,
  count,
  noInput,
} from "./action";
import { customerActions } from "./customers";
import { paymentActions } from "./payments";
import { subscriptionActions } from "./subscriptions";
import { webhookActions } from "./webhooks";

const PRESERVED_AT_RESET = new Set<keyof State>([
  "products",
  "prices",
  "portalConfigurations",
  "webhookEndpoints",
]);

const ACTIONS: ControlAction[] = [
  ...customerActions,
  ...subscriptionActions,
  ...paymentActions,
  action("POST", "reset", noInput, (context) => {
    const fresh = emptyState();
    for (const name of Object.keys(fresh) as (keyof State)[]) {
      if (!PRESERVED_AT_RESET.has(name))
        Object.assign(context.sandbox.state, { [name]: fresh[name] });
    }
    context.faults.clear();
    context.requests.clear();
    return {};
  }),
  action(
    "POST",
    "settings",
    z.object({
      afterRetries: z.enum(["cancel", "unpaid", "past_due"]).optional(),
      customDomain: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).optional(),
    }),
    ({ sandbox: { state } }, { afterRetries, customDomain }) => {
      if (customDomain !== undefined) {
        state.customDomain = customDomain === "" ? null : new URL(customDomain).origin;
      }
      state.afterRetries = afterRetries ?? state.afterRetries;
      return {};
    },
  ),
  action("GET", "clock", noInput, ({ sandbox }) => ({
    now: sandbox.now(),
    offset: sandbox.state.clockOffset,
  })),
  action(
    "POST",
    "clock",
    z.object({
      days: z.coerce.number().min(0).max(4_000).default(0),
      seconds: count.max(400_000_000).default(0),
    }),
    ({ sandbox }, { days, seconds }) => {
      advanceClock(sandbox, Math.round(days * 86_400) + seconds);
      return { now: sandbox.now(), offset: sandbox.state.clockOffset };
    },
  ),
  ...webhookActions,
  action(
    "POST",
    "faults",
    z.object({
      kind: z.enum(["error", "slow", "truncate", "destroy"]),
      times: count.default(1),
      when: z.enum(["before", "after"]).default("before"),
      match: z.string().default(""),
      status: z.coerce.number().int().min(400).max(599).default(500),
      ms: count.max(120_000).default(1_000),
    }),
    ({ faults }, { times, ...fault }) => {
      faults.add({ ...fault, times: times === 0 ? null : times });
      return {};
    },
  ),
  action("POST", "faults/clear", noInput, ({ faults }) => {
    faults.clear();
    return {};
  }),
  action("GET", "requests", noInput, ({ requests }) => requests.toJSON()),
  action("POST", "requests/clear", noInput, ({ requests }) => {
    requests.clear();
    return {};
  }),
];

/**
 * Does what a control request asks for. Throws a ControlError with a status for what does not
 * exist, is malformed or cannot be done now.
 */
export async function runControlAction(
  context: ControlContext,
  method: string,
  path: string,
  input: unknown,
): Promise<object> {
  let pathExists = false;
  for (const candidate of ACTIONS) {
    const id = matchPath(candidate.pattern, path);
    if (id === null) continue;
    pathExists = true;
    if (candidate.method !== method) continue;
    const result = await candidate.run(context, id, input);
    if (method !== "GET") context.sandbox.changed();
    return result;
  }
  throw new ControlError(
    pathExists ? 405 : 404,
    pathExists ? `${path} does not take ${method}.` : `There is no ${path}.`,
  );
}
