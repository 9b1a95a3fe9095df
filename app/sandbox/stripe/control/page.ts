import { isPresent } from "../engine/customers";
import type { Sandbox } from "../engine/sandbox";
import { findProcessingInvoice } from "../engine/subscription-lifecycle";
import { isOver, itemOf } from "../engine/subscriptions";
import { groupDigits, TEST_CARDS } from "../engine/test-cards";
import type { CheckoutSession, Event, Subscription } from "../engine/wire";
import { type Html, html } from "../pages/html";
import { formatMoney, formatTimestamp, layout } from "../pages/layout";
import type { ControlContext } from "./action";

const MAX_ROWS = 50;

/** The tester's page: the whole state, with a button for each control action. */
export function controlPage(context: ControlContext, notice: string | null): string {
  const { sandbox } = context;
  const { state } = sandbox;
  return layout(
    "Control",
    html`<h1>Local Stripe</h1>
<p class="soft">The state of this stand-in, with buttons for what happens by itself at the real Stripe. The same is available over HTTP under <code>/_control</code>.</p>
${notice && html`<p role="status">${notice}</p>`}
${clockSection(context)}
${webhookSection(context)}
${table(
  "Subscriptions",
  ["Subscription", "Customer", "Status", "Period (UTC)", "Actions"],
  latest(state.subscriptions.values()).map((subscription) =>
    subscriptionRow(sandbox, subscription),
  ),
)}
${table(
  "Checkout sessions",
  ["Session", "Customer", "Status", "Expires (UTC)", "Actions"],
  latest(state.checkoutSessions.values()).map((session) => sessionRow(sandbox, session)),
)}
${table(
  "Customers",
  ["Customer", "Email", "Created (UTC)", "Actions"],
  latest(state.customers.values()).map((customer) =>
    isPresent(customer)
      ? html`<tr><td><code>${customer.id}</code></td><td>${customer.email}</td><td>${formatTimestamp(customer.created)}</td><td>${button(`customers/${customer.id}/subscribe`, "Subscribe")}${button(`customers/${customer.id}/delete`, "Delete")}</td></tr>`
      : html`<tr><td><code>${customer.id}</code></td><td colspan="3" class="soft">deleted</td></tr>`,
  ),
)}
${table(
  "Refunds",
  ["Refund", "Charge", "Status", "Actions"],
  latest(state.refunds.values()).map(
    (refund) =>
      html`<tr><td><code>${refund.id}</code></td><td><code>${refund.charge}</code></td><td>${refund.status}</td><td>${refund.status !== "failed" && button(`refunds/${refund.id}/fail`, "Fail")}</td></tr>`,
  ),
)}
${table(
  "Disputes",
  ["Dispute", "Charge", "Status", "Actions"],
  latest(state.disputes.values()).map(
    (dispute) =>
      html`<tr><td><code>${dispute.id}</code></td><td><code>${dispute.charge}</code></td><td>${dispute.status}</td><td>${dispute.status.startsWith("warning_") && button(`disputes/${dispute.id}/escalate`, "Escalate")}${button(`disputes/${dispute.id}/close`, "Win", { won: "true" })}${button(`disputes/${dispute.id}/close`, "Lose", { won: "false" })}</td></tr>`,
  ),
)}
${table(
  "Events and deliveries",
  ["Event", "Type", "Created (UTC)", "Deliveries", "Actions"],
  latest(state.events.values()).map((event) => eventRow(sandbox, event)),
)}
${faultSection(context)}
<h2>Test cards</h2>
<div class="scroll"><table><thead><tr><th scope="col">Number</th><th scope="col">What it does</th></tr></thead><tbody>
${Object.entries(TEST_CARDS).map(
  ([number, { label }]) =>
    html`<tr><td><code>${groupDigits(number)}</code></td><td>${label}</td></tr>`,
)}</tbody></table></div>
<h2>Start over</h2>
<p>${button("reset", "Delete everything")} <span class="soft">Keeps the catalog, the portal's configuration and the webhook endpoints.</span></p>`,
    true,
  );
}

function latest<Item>(items: Iterable<Item>): Item[] {
  return [...items].slice(-MAX_ROWS).reverse();
}

function button(path: string, label: string, fields: Record<string, string> = {}): Html {
  return html`<form method="post" action="/_control/${path}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button type="submit" class="plain">${label}</button></form>`;
}

/** A form with fields, whose ids the path makes unique. */
function fieldForm(path: string, go: string, ...fields: ((path: string) => Html)[]): Html {
  return html`<form method="post" action="/_control/${path}">${fields.map((field) => field(path))}<button type="submit" class="plain">${go}</button></form>`;
}

const fieldId = (path: string, name: string) => `${path}-${name}`.replaceAll("/", "-");

function numberField(name: string, label: string, value: number): (path: string) => Html {
  return (path) =>
    html`<label for="${fieldId(path, name)}">${label}</label><input type="number" id="${fieldId(path, name)}" name="${name}" value="${value}" min="0" step="1">`;
}

function choiceField(
  name: string,
  label: string,
  options: Record<string, string>,
  selected: string | null = null,
): (path: string) => Html {
  return (path) =>
    html`<label for="${fieldId(path, name)}">${label}</label><select id="${fieldId(path, name)}" name="${name}">${Object.entries(
      options,
    ).map(
      ([value, text]) =>
        html`<option value="${value}"${value === selected && html` selected`}>${text}</option>`,
    )}</select>`;
}

function table(title: string, heads: string[], rows: Html[]): Html {
  if (rows.length === 0) return html`<h2>${title}</h2><p class="soft">None yet.</p>`;
  return html`<h2>${title}</h2><div class="scroll"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function clockSection({ sandbox, latency }: ControlContext): Html {
  const { clockOffset, afterRetries } = sandbox.state;
  const days = Math.round(clockOffset / 8_640) / 10;
  return html`<h2>Clock</h2>
<p>${formatTimestamp(sandbox.now())} UTC${clockOffset > 0 && html`, ${days} days ahead`}. Moving it on runs the renewals, payment retries, subscription ends and session expiries that fall due, in order.</p>
${fieldForm("clock", "Move the clock on", numberField("days", "Days", 1))}
${fieldForm(
  "settings",
  "Set what follows failed retries",
  choiceField(
    "afterRetries",
    "When the last payment retry fails, the subscription is",
    { cancel: "canceled", unpaid: "marked unpaid", past_due: "left past due" },
    afterRetries,
  ),
)}
${fieldForm("settings", "Set how long every API call takes", numberField("latencyMs", "Milliseconds", latency.ms))}`;
}

function webhookSection({ sandbox, dispatcher }: ControlContext): Html {
  const policy = sandbox.state.webhookPolicy;
  const endpoints = [...sandbox.state.webhookEndpoints.values()];
  return html`<h2>Webhooks</h2>
<p>${dispatcher.backlog} pending or held. ${
    endpoints.length === 0
      ? "No endpoint is registered."
      : endpoints.map(({ url, status }) => html`<code>${url}</code> is ${status}. `)
  }</p>
${fieldForm(
  "webhooks",
  "Set for new events",
  choiceField(
    "mode",
    "New events are",
    { deliver: "delivered", hold: "held", drop: "dropped" },
    policy.mode,
  ),
  numberField("dropNext", "Drop the next", policy.dropNext),
  numberField("delayMs", "Delay, ms", policy.delayMs),
  numberField("jitterMs", "Random delay, up to ms", policy.jitterMs),
  numberField("duplicates", "Extra copies of each", policy.duplicates),
)}
${fieldForm(
  "webhooks/release",
  "Release",
  choiceField("order", "Release held ones", {
    arrival: "in order",
    reverse: "in reverse",
    random: "in random order",
    together: "all at once",
  }),
)}
${button("webhooks/discard", "Drop held ones")}
${button("webhooks/retry", "Retry waiting ones now")}`;
}

function customerCell(sandbox: Sandbox, id: string | null): Html {
  const customer = sandbox.state.customers.get(id ?? "");
  if (isPresent(customer)) return html`${customer.email ?? customer.id}`;
  return html`<span class="soft">${id ?? "none yet"}</span>`;
}

function subscriptionRow(sandbox: Sandbox, subscription: Subscription): Html {
  const { current_period_start, current_period_end, price } = itemOf(subscription);
  const path = `subscriptions/${subscription.id}`;
  const can = (name: string, label: string, fields?: Record<string, string>) =>
    button(`${path}/${name}`, label, fields);
  const { status, cancel_at } = subscription;
  const renews = status === "active" || status === "past_due";
  const owes = status === "past_due" || status === "unpaid" || status === "incomplete";
  return html`<tr>
<td><code>${subscription.id}</code><br>${formatMoney(price.unit_amount ?? 0, price.currency)}</td>
<td>${customerCell(sandbox, subscription.customer)}</td>
<td>${status}${cancel_at !== null && !isOver(subscription) && html`<br><span class="soft">ends ${formatTimestamp(cancel_at)}</span>`}</td>
<td>${formatTimestamp(current_period_start)} to ${formatTimestamp(current_period_end)}</td>
<td>${
    renews && [
      can("renew", "Renew now"),
      can("renew", "Fail renewal", { outcome: "declined" }),
      can("renew", "Renewal needs 3-D Secure", { outcome: "authentication" }),
    ]
  }${owes && [can("recover", "Recover"), can("give-up", "Give up"), can("write-off", "Write off"), can("void", "Void")]}${
    !isOver(subscription) && [
      cancel_at === null
        ? can("cancel-at-period-end", "Cancel at period end")
        : can("resume", "Resume"),
      can("cancel", "Cancel now"),
      subscription.pause_collection
        ? can("resume-collection", "Collect again")
        : can("pause-collection", "Stop collecting"),
      findProcessingInvoice(sandbox, subscription) && [
        can("debit", "Debit arrives", { arrives: "true" }),
        can("debit", "Debit fails", { arrives: "false" }),
      ],
      status === "paused" ? can("resume", "End the pause") : can("pause", "Pause"),
    ]
  }${can("refund", "Refund")}${can("dispute", "Dispute")}${can("dispute", "Inquiry", { inquiry: "true" })}${fieldForm(`${path}/age`, "Make older", numberField("days", "Days", 1))}</td>
</tr>`;
}

function sessionRow(sandbox: Sandbox, session: CheckoutSession): Html {
  const path = `sessions/${session.id}`;
  const isOpen = session.status === "open";
  const isDelayed = session.status === "complete" && session.payment_status === "unpaid";
  return html`<tr>
<td>${
    session.url === null
      ? html`<code>${session.id.slice(0, 24)}…</code>`
      : html`<a href="${session.url}"><code>${session.id.slice(0, 24)}…</code></a>`
  }</td>
<td>${customerCell(sandbox, session.customer)}</td>
<td>${session.status}, ${session.payment_status}</td>
<td>${formatTimestamp(session.expires_at)}</td>
<td>${isOpen && [button(`${path}/pay`, "Pay"), button(`${path}/expire`, "Expire")]}${
    isDelayed && [
      button(`${path}/settle`, "Delayed payment arrives"),
      button(`${path}/fail`, "Delayed payment fails"),
    ]
  }</td>
</tr>`;
}

function eventRow(sandbox: Sandbox, event: Event): Html {
  const deliveries = [...sandbox.state.deliveries.values()].filter(
    ({ eventId }) => eventId === event.id,
  );
  return html`<tr>
<td><code>${event.id}</code></td><td>${event.type}</td><td>${formatTimestamp(event.created)}</td>
<td>${deliveries.map(({ state, attempts }) => {
    const last = attempts.at(-1);
    return html`${state}${last && html` (${attempts.length}×, ${last.status ?? last.problem})`}<br>`;
  })}</td>
<td>${button(`events/${event.id}/send`, "Send again")}</td>
</tr>`;
}

function faultSection({ faults }: ControlContext): Html {
  return html`<h2>API faults</h2>
<p>${faults.all.length === 0 ? "The API works." : `${faults.all.length} set.`}</p>
${fieldForm(
  "faults",
  "Set a fault",
  choiceField("kind", "The next requests are", {
    error: "answered with 500",
    slow: "slow by a second",
    truncate: "cut off half way through the response",
    destroy: "left without a response",
  }),
  numberField("times", "How many (0: all)", 1),
  choiceField("when", "Their work is", { before: "not done", after: "done anyway" }),
)}
${button("faults/clear", "Clear faults")}`;
}
