/**
 * The control API, by which a tester controls the local Stripe. The control page's forms post to the same paths.
 * A JSON body gets JSON, a form a redirect to the control page. `:id` is a Stripe id. Fields are optional by default.
 *
 *     GET    /_control/state          the clock, settings, faults and object counts
 *     POST   /_control/reset          deletes all but catalog, portal configurations and endpoints
 *     POST   /_control/settings       { afterRetries: "cancel" | "unpaid" | "past_due",
 *                                       latencyMs: 0 to 60000, latency of every API call,
 *                                       customDomain: the origin of new checkout and portal URLs,
 *                                       such as http://pay.localhost:3001; "" for the default,
 *                                       taxPercent: of sessions with automatic tax,
 *                                       hasTermsUrl, hasTaxAddress, offersCashApp: what the author set up,
 *                                       statusWhileDebited: "incomplete" | "active", while a
 *                                       first payment by bank debit is processing }
 *     POST   /_control/keys           { key: "rk_test_…", permissions: ["Customers: write", …] }
 *                                       a restricted key
 *
 *     POST   /_control/coupons        { code (required), percentOff, amountOff (cents), months }
 *     POST   /_control/prices/:id/currency      { currency, unitAmount } a further currency
 *
 *     GET    /_control/clock          { now, offset } in seconds
 *     POST   /_control/clock          { days, seconds } advances it: renewals, retries, ends, expiries
 *
 *     POST   /_control/sessions/:id/pay      { card: "4242424242424242" | … | "bank_account", email,
 *                                              authentication: "complete" | "fail" | "leave",
 *                                              code: a promotion code, currency: "eur" }
 *     POST   /_control/sessions/:id/expire
 *     POST   /_control/sessions/:id/settle   a delayed payment succeeds
 *     POST   /_control/sessions/:id/fail     a delayed payment fails
 *
 *     POST   /_control/customers/:id/subscribe  { card, priceId, isTaxed } a subscription without
 *                                                 a session
 *     POST   /_control/customers/:id/card       { card } the customer's default, as in the portal:
 *                                                 neither pays nor changes a subscription's own card
 *     POST   /_control/customers/:id/delete
 *     POST   /_control/customers/:id/forget     as if the keys were another account's
 *
 *     POST   /_control/subscriptions/:id/renew  { outcome: "card" | "paid" | "declined" |
 *                                                 "authentication" | "processing" | "draft" }
 *                                                 a new period now; "draft" leaves its invoice
 *                                                 to the clock
 *     POST   /_control/subscriptions/:id/debit     { arrives } a payment that is processing ends
 *     POST   /_control/subscriptions/:id/recover   pays its open invoices, and the
 *                                                  drafts of an unpaid one
 *     POST   /_control/subscriptions/:id/card      { card } its own card; pays nothing
 *     POST   /_control/subscriptions/:id/write-off marks its open invoices uncollectible
 *     POST   /_control/subscriptions/:id/void      voids its open invoices
 *     POST   /_control/subscriptions/:id/price     { priceId (required), now } from its next period
 *                                                  on; with `now`, a new period at once, with a
 *                                                  credit for unused time
 *     POST   /_control/subscriptions/:id/trial     { days } free time from now on; 0 ends it
 *     POST   /_control/subscriptions/:id/coupon    { code } for its next invoices
 *     POST   /_control/subscriptions/:id/pause-collection  { behavior: "void" | "keep_as_draft" |
 *                                                  "mark_uncollectible", days }
 *     POST   /_control/subscriptions/:id/resume-collection
 *     POST   /_control/subscriptions/:id/give-up   { afterRetries } as after the last retry
 *     POST   /_control/subscriptions/:id/cancel-at-period-end
 *     POST   /_control/subscriptions/:id/cancel-at { days (required) } from now
 *     POST   /_control/subscriptions/:id/resume    undoes that; ends a pause
 *     POST   /_control/subscriptions/:id/cancel    immediately
 *     POST   /_control/subscriptions/:id/pause
 *     POST   /_control/subscriptions/:id/age       { days } as if everything had happened earlier,
 *                                                  for a site whose own clock cannot be moved
 *     POST   /_control/subscriptions/:id/refund    { amount, payment: "first" | "last" }
 *                                                  the payment, or `amount` cents of it
 *     POST   /_control/refunds/:id/fail            the bank returns the money
 *     POST   /_control/subscriptions/:id/dispute   { start: "needs_response" | "prevented" | "lost" |
 *                                                    "warning_needs_response", an inquiry,
 *                                                    payment: "first" | "last" }
 *     POST   /_control/disputes/:id/close          { won: boolean }; an inquiry is only won
 *
 *     POST   /_control/endpoints      { url (required), events, apiVersion } a webhook endpoint,
 *                                       on this machine too, which the API rejects
 *     GET    /_control/deliveries     every webhook delivery with its attempts
 *     POST   /_control/webhooks       { mode: "deliver" | "hold" | "drop", duplicates } for
 *                                       events from now on
 *     POST   /_control/webhooks/reset    immediate delivery, the default
 *     POST   /_control/webhooks/release  { order: "arrival" | "reverse" | "random" | "together",
 *                                          count } sends held ones, `count` at most;
 *                                        responds when all were attempted
 *     POST   /_control/webhooks/retry    makes pending retries now
 *     POST   /_control/webhooks/settle   { timeoutMs, retries } waits until none is pending
 *
 *     POST   /_control/faults         { kind: "error" | "slow" | "truncate" | "destroy" (required),
 *                                       times (1; 0 forever), when: "before" | "after", match:
 *                                       "POST /v1/customers", status (500), message, ms (1000) };
 *                                       an error is stored under the idempotency key, unless its
 *                                       status is 401, 403, 409 or 429
 *     POST   /_control/faults/clear
 *     GET    /_control/requests       { counts: { "POST /v1/customers": 1 }, requests }
 *     POST   /_control/requests/clear
 */
import { z } from "zod";
import { MAX_LATENCY_MS } from "../engine/faults";
import { requireObject } from "../engine/objects";
import { readPermission } from "../engine/permissions";
import { advanceClock } from "../engine/schedule";
import { emptyState, type State } from "../engine/state";
import { matchPath } from "../http/path-pattern";
import {
  action,
  type ControlAction,
  type ControlContext,
  ControlError,
  count,
  flag,
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

/** The clock, settings, faults and object counts. */
export function summary({ sandbox, faults, latency }: ControlContext): object {
  const { state } = sandbox;
  const counts = Object.fromEntries(
    Object.entries(state).flatMap(([name, part]) =>
      part instanceof Map ? [[name, part.size]] : [],
    ),
  );
  const deliveries = { pending: 0, held: 0, delivered: 0, failed: 0, dropped: 0 };
  for (const delivery of state.deliveries.values()) deliveries[delivery.state] += 1;
  return {
    now: sandbox.now(),
    clockOffset: state.clockOffset,
    afterRetries: state.afterRetries,
    latencyMs: latency.ms,
    customDomain: state.customDomain,
    webhooks: state.webhookPolicy,
    faults: faults.all,
    counts,
    deliveries,
  };
}

/** Every control action. */
export const ACTIONS: ControlAction[] = [
  ...customerActions,
  ...subscriptionActions,
  ...paymentActions,
  action("GET", "state", noInput, (context) => summary(context)),
  action("POST", "reset", noInput, (context) => {
    const fresh = emptyState();
    for (const name of Object.keys(fresh) as (keyof State)[]) {
      if (!PRESERVED_AT_RESET.has(name))
        Object.assign(context.sandbox.state, { [name]: fresh[name] });
    }
    context.faults.clear();
    context.latency.reset();
    context.requests.clear();
    return summary(context);
  }),
  action(
    "POST",
    "settings",
    z.object({
      afterRetries: z.enum(["cancel", "unpaid", "past_due"]).optional(),
      latencyMs: count.max(MAX_LATENCY_MS).optional(),
      customDomain: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).optional(),
      statusWhileDebited: z.enum(["incomplete", "active"]).optional(),
      taxPercent: z.coerce.number().min(0).max(100).optional(),
      hasTermsUrl: flag.optional(),
      offersCashApp: flag.optional(),
      hasTaxAddress: flag.optional(),
    }),
    (context, { latencyMs, customDomain, ...given }) => {
      const { state } = context.sandbox;
      if (customDomain !== undefined) {
        state.customDomain = customDomain === "" ? null : new URL(customDomain).origin;
      }
      Object.assign(state, given);
      context.latency.ms = latencyMs ?? context.latency.ms;
      return summary(context);
    },
  ),
  action(
    "POST",
    "coupons",
    z.object({
      code: z.string().min(1),
      percentOff: z.coerce.number().min(0).max(100).optional(),
      amountOff: count.optional(),
      months: count.min(1).optional(),
    }),
    ({ sandbox }, { code, ...coupon }) => {
      sandbox.state.coupons.set(code, coupon);
      return { code, ...coupon };
    },
  ),
  action(
    "POST",
    "prices/:id/currency",
    z.object({ currency: z.string().regex(/^[a-z]{3}$/), unitAmount: count }),
    ({ sandbox }, { currency, unitAmount }, id) => {
      const { currencyOptions } = sandbox.state;
      const { id: priceId } = requireObject(sandbox, "prices", id);
      currencyOptions.set(priceId, { ...currencyOptions.get(priceId), [currency]: unitAmount });
      return { id: priceId, currency, unitAmount };
    },
  ),
  action(
    "POST",
    "keys",
    z.object({ key: z.string().regex(/^rk_test_\w{8,}$/), permissions: z.array(z.string()) }),
    ({ sandbox }, { key, permissions }) => {
      const read = permissions.map((text) => {
        const permission = readPermission(text);
        if (!permission) throw new ControlError(400, `Stripe has no permission ${text}.`);
        return permission;
      });
      sandbox.state.restrictedKeys.set(key, read);
      return { key };
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
      message: z
        .string()
        .default(
          "Sorry! There was an error while talking to one of our backends. (A fault was set.)",
        ),
      ms: count.max(120_000).default(1_000),
    }),
    (context, { times, ...fault }) => {
      context.faults.add({ ...fault, times: times === 0 ? null : times });
      return summary(context);
    },
  ),
  action("POST", "faults/clear", noInput, (context) => {
    context.faults.clear();
    return summary(context);
  }),
  action("GET", "requests", noInput, ({ requests }) => requests.toJSON()),
  action("POST", "requests/clear", noInput, ({ requests }) => {
    requests.clear();
    return requests.toJSON();
  }),
];

/**
 * Carries out a control request. Throws a ControlError with a status for a request that is unknown,
 * malformed or cannot be carried out now.
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
