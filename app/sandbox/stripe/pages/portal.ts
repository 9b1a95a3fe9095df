import { changeDefaultCard, owedInvoices, runningSubscriptions } from "../engine/customer-cards";
import { isPresent } from "../engine/customers";
import type { Sandbox } from "../engine/sandbox";
import { endSubscription, setCancelAt } from "../engine/subscription-end";
import { isOver, itemOf } from "../engine/subscriptions";
import type { Customer, PortalConfiguration, PortalSession, Subscription } from "../engine/wire";
import type { Form } from "../http/form";
import {
  authenticationPage,
  type CardPage,
  cardFields,
  errorMark,
  type FormView,
  initialCardForm,
  problemAlert,
  submitAuthentication,
  submitCard,
} from "./card-form";
import { type Html, html } from "./html";
import {
  BUSINESS_NAME,
  formatDay,
  formatMoney,
  layout,
  messagePage,
  type PageResponse,
} from "./layout";

const SESSION_SECONDS = 3_600;
const TEST_CARD_BRANDS: Record<string, string> = { visa: "Visa", mastercard: "Mastercard" };

type Portal = {
  sandbox: Sandbox;
  session: PortalSession;
  customer: Customer;
  features: PortalConfiguration["features"];
  /** The path of the portal's first page. */
  home: string;
};

/** Opens the portal for a path's key, or returns the error page if it is invalid or has expired. */
function openPortal(sandbox: Sandbox, key: string): Portal | PageResponse {
  const home = `/p/session/${key}`;
  const session = [...sandbox.state.portalSessions.values()].find(({ url }) => url.endsWith(home));
  const customer = sandbox.state.customers.get(session?.customer ?? "");
  if (!session || !isPresent(customer) || session.created + SESSION_SECONDS < sandbox.now()) {
    const link =
      session?.return_url != null
        ? { href: session.return_url, label: `Return to ${BUSINESS_NAME}` }
        : null;
    return {
      status: session ? 200 : 404,
      page: messagePage("This page has expired", "Open the customer portal again to go on.", link),
    };
  }
  const configuration = sandbox.state.portalConfigurations.get(session.configuration);
  if (!configuration) throw new Error(`Portal session ${session.id} has no configuration.`);
  return { sandbox, session, customer, features: configuration.features, home };
}

/** A portal's pages. `rest` is the path after its key. */
export function portalPages(
  sandbox: Sandbox,
  key: string,
  rest: string[],
  form: Form | null,
): PageResponse {
  const portal = openPortal(sandbox, key);
  if (!("session" in portal)) return portal;
  const [page, subscriptionId] = rest;
  return form ? act(portal, page, subscriptionId, form) : show(portal, page, subscriptionId);
}

function show(portal: Portal, page: string | undefined, subscriptionId?: string): PageResponse {
  const { home, features, session } = portal;
  if (page === undefined && session.flow) {
    const { subscription_cancel: cancel } = session.flow;
    return { redirect: cancel ? `${home}/cancel/${cancel.subscription}` : `${home}/card` };
  }
  if (page === undefined || page === "home") return { page: homePage(portal) };
  if (page === "card" && features.payment_method_update.enabled) {
    return { page: cardPage(portal, {}) };
  }
  if (page === "authenticate" && portal.sandbox.state.authentications.has(session.id)) {
    return authenticationPage(`${home}/authenticate`, formatMoney(0, "usd"));
  }
  if (page === "cancel" && features.subscription_cancel.enabled) {
    const subscription = ownSubscription(portal, subscriptionId);
    if (subscription) return { page: cancelPage(portal, subscription) };
  }
  return { redirect: `${home}/home` };
}

function act(
  portal: Portal,
  action: string | undefined,
  subscriptionId: string | undefined,
  form: Form,
): PageResponse {
  const { sandbox, session, customer, home, features } = portal;
  // a deep link specifies the return URL of its action
  const done = session.flow?.after_completion.redirect?.return_url ?? `${home}/home`;
  if (action === "card" || action === "authenticate") {
    if (!features.payment_method_update.enabled) return { redirect: `${home}/home` };
    const page: CardPage = {
      sandbox,
      id: session.id,
      show: (view) => cardPage(portal, view),
      use: (card, authenticated) => changeDefaultCard(sandbox, customer, card, authenticated),
      authenticate: { redirect: `${home}/authenticate` },
      done: { redirect: done },
    };
    return action === "card" ? submitCard(page, form) : submitAuthentication(page, form);
  }
  const subscription = ownSubscription(portal, subscriptionId);
  if (subscription && action === "cancel" && features.subscription_cancel.enabled) {
    if (features.subscription_cancel.mode === "immediately") {
      endSubscription(sandbox, subscription, "cancellation_requested");
    } else {
      const { options } = features.subscription_cancel.cancellation_reason;
      const feedback = options.find((option) => option === form.feedback);
      setCancelAt(sandbox, subscription, "period_end", feedback);
    }
    return { redirect: done };
  }
  if (subscription?.cancel_at && action === "resume") setCancelAt(sandbox, subscription, null);
  return { redirect: `${home}/home` };
}

function ownSubscription(portal: Portal, id: string | undefined): Subscription | null {
  const subscription = portal.sandbox.state.subscriptions.get(id ?? "");
  if (subscription?.customer !== portal.customer.id || isOver(subscription)) return null;
  return subscription;
}

function returnLink({ session }: Portal): Html | null {
  return session.return_url === null
    ? null
    : html`<p><a href="${session.return_url}">Return to ${BUSINESS_NAME}</a></p>`;
}

function homePage(portal: Portal): string {
  const { sandbox, customer } = portal;
  const running = runningSubscriptions(sandbox, customer.id);
  return layout(
    "Your subscription",
    html`<h1>Your subscription</h1>
<p class="soft">${BUSINESS_NAME} · ${customer.email ?? "no email address"}</p>
${
  running.length === 0
    ? html`<div class="card"><p>You have no subscription at present.</p></div>`
    : running.map((subscription) => subscriptionCard(portal, subscription))
}
${portal.features.payment_method_update.enabled && cardOnFile(portal)}
${portal.features.invoice_history.enabled && invoiceTable(portal)}
${returnLink(portal)}`,
  );
}

function subscriptionCard(portal: Portal, subscription: Subscription): Html {
  const { sandbox, home, features } = portal;
  const { price, quantity } = itemOf(subscription);
  const name = sandbox.state.products.get(price.product)?.name ?? price.product;
  const amount = (price.unit_amount ?? 0) * (quantity ?? 1);
  return html`<section class="card">
<h2>${name}</h2>
<p class="price">${formatMoney(amount, price.currency)} <small>per ${price.recurring?.interval ?? "month"}</small></p>
<p>${statusSentence(subscription)}</p>
<div class="actions">
${
  subscription.cancel_at !== null
    ? html`<form method="post" action="${home}/resume/${subscription.id}"><button type="submit">Resume subscription</button></form>`
    : features.subscription_cancel.enabled &&
      html`<a class="button plain" href="${home}/cancel/${subscription.id}">Cancel subscription</a>`
}
</div>
</section>`;
}

function statusSentence(subscription: Subscription): Html {
  const { current_period_end } = itemOf(subscription);
  if (subscription.cancel_at !== null) {
    return html`Your subscription will be canceled on ${formatDay(subscription.cancel_at)}.`;
  }
  if (subscription.status === "active") {
    return html`Your subscription renews on ${formatDay(current_period_end)}.`;
  }
  if (subscription.status === "past_due" || subscription.status === "unpaid") {
    return html`<strong>Your last payment failed.</strong> Pay its invoice below.`;
  }
  if (subscription.status === "incomplete") return html`Your first payment is still on its way.`;
  return html`Your subscription is ${subscription.status}.`;
}

function cardOnFile(portal: Portal): Html {
  const { sandbox, customer, home } = portal;
  const [subscription] = runningSubscriptions(sandbox, customer.id);
  const id =
    subscription?.default_payment_method ?? customer.invoice_settings.default_payment_method;
  const method = sandbox.state.paymentMethods.get(id ?? "");
  const shown = method?.card
    ? html`${TEST_CARD_BRANDS[method.card.brand] ?? "Card"} ending in ${method.card.last4}`
    : method
      ? html`Bank account ending in ${method.us_bank_account?.last4}`
      : html`No card on file.`;
  return html`<section class="card"><h2>Payment method</h2><p>${shown}</p>
<p><a class="button plain" href="${home}/card">Update card</a></p></section>`;
}

function invoiceTable({ sandbox, customer }: Portal): Html {
  const invoices = [...sandbox.state.invoices.values()]
    .filter((invoice) => invoice.customer === customer.id && invoice.status !== "draft")
    .reverse();
  if (invoices.length === 0) return html``;
  return html`<section class="card"><h2>Invoices</h2><div class="scroll"><table>
<thead><tr><th scope="col">Date</th><th scope="col">Invoice</th><th scope="col">Amount</th><th scope="col">Status</th></tr></thead>
<tbody>${invoices.map(
    (invoice) =>
      html`<tr><td>${formatDay(invoice.created)}</td><td><a href="/i/${invoice.id}">${invoice.number}</a></td><td>${formatMoney(invoice.total, invoice.currency)}</td><td>${invoice.status}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function cancelPage({ home, features }: Portal, subscription: Subscription): string {
  const { mode, cancellation_reason: reasons } = features.subscription_cancel;
  const isImmediate = mode === "immediately";
  return layout(
    "Cancel your subscription",
    html`<div class="card"><h1>Cancel your subscription</h1>
<p>${
      isImmediate
        ? "Your subscription will end at once."
        : html`You keep everything until ${formatDay(itemOf(subscription).current_period_end)}; then your subscription ends and nothing more is charged.`
    }</p>
<form method="post" action="${home}/cancel/${subscription.id}">
${
  reasons.enabled &&
  html`<p><label>Why do you cancel? <select name="feedback"><option value="">I would rather not say</option>${reasons.options.map(
    (option) => html`<option value="${option}">${option.replaceAll("_", " ")}</option>`,
  )}</select></label></p>`
}
<div class="actions"><button type="submit">Cancel subscription</button><a class="button plain" href="${home}/home">Go back</a></div>
</form></div>`,
  );
}

function cardPage(portal: Portal, view: FormView): string {
  const { sandbox, customer, home } = portal;
  const owed = owedInvoices(sandbox, customer.id);
  return layout(
    `${errorMark(view)}Update your card`,
    html`<div class="card"><h1>Update your card</h1>
${owed.map(
  ({ id, amount_remaining, currency }) =>
    html`<p>You owe ${formatMoney(amount_remaining, currency)}. <a href="/i/${id}">Pay that invoice</a></p>`,
)}
${problemAlert(view.problem)}
<form method="post" action="${home}/card" novalidate>
${cardFields(view.state ?? initialCardForm(sandbox.now()), false, Boolean(view.problem))}
<div class="actions"><button type="submit">Update card</button><a class="button plain" href="${home}/home">Go back</a></div>
</form></div>`,
  );
}
