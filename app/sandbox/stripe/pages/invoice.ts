import { payWithCard } from "../engine/customer-cards";
import { isPresent } from "../engine/customers";
import type { Sandbox } from "../engine/sandbox";
import { BANK_ACCOUNT } from "../engine/test-cards";
import type { Invoice } from "../engine/wire";
import type { Form } from "../http/form";
import {
  authenticationForm,
  cardFields,
  initialCardForm,
  problemAlert,
  readCardForm,
  textOf,
} from "./card-form";
import { html } from "./html";
import { BUSINESS_NAME, formatDay, formatMoney, layout, messagePage } from "./layout";
import type { PageResponse } from "./response";

type FormView = { state?: ReturnType<typeof initialCardForm>; problem?: string };

/** GET of an invoice's page, or of its 3-D Secure page. */
export function showInvoice(sandbox: Sandbox, id: string, rest: string[]): PageResponse {
  const invoice = finalInvoice(sandbox, id);
  if (!invoice) return noInvoice();
  if (rest[0] === "authenticate" && sandbox.state.authentications.has(invoice.id)) {
    const amount = formatMoney(invoice.amount_remaining, invoice.currency);
    return {
      page: layout("3-D Secure", authenticationForm(`/i/${invoice.id}/authenticate`, amount)),
    };
  }
  return { page: invoicePage(sandbox, invoice, {}) };
}

/** POST of the card form of an open invoice, or of its 3-D Secure page. */
export function payInvoicePage(
  sandbox: Sandbox,
  id: string,
  rest: string[],
  form: Form,
): PageResponse {
  const invoice = finalInvoice(sandbox, id);
  if (!invoice) return noInvoice();
  const customer = sandbox.state.customers.get(invoice.customer ?? "");
  if (!isPayable(invoice) || !isPresent(customer)) return { redirect: `/i/${invoice.id}` };
  if (rest[0] === "authenticate") {
    const waiting = sandbox.state.authentications.get(invoice.id);
    sandbox.state.authentications.delete(invoice.id);
    sandbox.changed();
    if (waiting && textOf(form.answer) === "complete") {
      payWithCard(sandbox, customer, invoice, waiting.card, true);
    }
    return { redirect: `/i/${invoice.id}` };
  }
  const entry = readCardForm(form, false, sandbox.now());
  if ("problem" in entry || entry.instrument === BANK_ACCOUNT) {
    const problem = "problem" in entry ? entry.problem : "Choose a card.";
    return { page: invoicePage(sandbox, invoice, { state: entry.state, problem }) };
  }
  const outcome = payWithCard(sandbox, customer, invoice, entry.instrument, false);
  if (outcome.kind === "declined") {
    return {
      page: invoicePage(sandbox, invoice, { state: entry.state, problem: outcome.message }),
    };
  }
  if (outcome.kind === "authentication") {
    sandbox.state.authentications.set(invoice.id, { card: entry.instrument, email: null });
    sandbox.changed();
    return { redirect: `/i/${invoice.id}/authenticate` };
  }
  return { redirect: `/i/${invoice.id}` };
}

function finalInvoice(sandbox: Sandbox, id: string): Invoice | null {
  const invoice = sandbox.state.invoices.get(id);
  return invoice && invoice.status !== "draft" ? invoice : null;
}

/** An invoice that was written off can still be paid. */
function isPayable({ status }: Invoice): boolean {
  return status === "open" || status === "uncollectible";
}

function noInvoice(): PageResponse {
  return { status: 404, page: messagePage("Something went wrong", "There is no such invoice.") };
}

function invoicePage(sandbox: Sandbox, invoice: Invoice, view: FormView): string {
  const [line] = invoice.lines.data;
  const problem = view.problem ?? null;
  return layout(
    `${problem ? "Error: " : ""}Invoice ${invoice.number}`,
    html`<h1>Invoice ${invoice.number}</h1>
<p class="price">${formatMoney(invoice.total, invoice.currency)}</p>
<div class="card">
<p>From ${BUSINESS_NAME} to ${invoice.customer_email ?? "a customer without an address"}, ${formatDay(invoice.created)}.</p>
${line && html`<p>${line.description}, ${formatDay(line.period.start)} to ${formatDay(line.period.end)}.</p>`}
<p>Status: <strong>${invoice.status}</strong></p>
</div>
${
  isPayable(invoice) &&
  html`<div class="card"><h2>Pay this invoice</h2>
${problemAlert(problem)}
<form method="post" action="/i/${invoice.id}" novalidate>
${cardFields(view.state ?? initialCardForm(sandbox.now()), false, problem !== null)}
<button type="submit" class="full">Pay ${formatMoney(invoice.amount_remaining, invoice.currency)}</button>
</form></div>`
}`,
  );
}
