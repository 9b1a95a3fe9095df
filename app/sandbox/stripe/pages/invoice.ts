import { payWithCard } from "../engine/customer-cards";
import { isPresent } from "../engine/customers";
import type { Sandbox } from "../engine/sandbox";
import type { Invoice } from "../engine/wire";
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
import { html } from "./html";
import {
  BUSINESS_NAME,
  formatDay,
  formatMoney,
  layout,
  messagePage,
  type PageResponse,
} from "./layout";

/** An invoice's page, with a card form while it can be paid. `step` is `authenticate` for 3-D Secure. */
export function invoicePages(
  sandbox: Sandbox,
  id: string,
  step: string | undefined,
  form: Form | null,
): PageResponse {
  const invoice = sandbox.state.invoices.get(id);
  if (!invoice || invoice.status === "draft") {
    return { status: 404, page: messagePage("Something went wrong", "There is no such invoice.") };
  }
  const home = `/i/${id}`;
  const customer = sandbox.state.customers.get(invoice.customer ?? "");
  if (form === null) {
    return step === "authenticate" && sandbox.state.authentications.has(id)
      ? authenticationPage(
          `${home}/authenticate`,
          formatMoney(invoice.amount_remaining, invoice.currency),
        )
      : { page: invoicePage(sandbox, invoice, {}) };
  }
  if (!isPayable(invoice) || !isPresent(customer)) return { redirect: home };
  const page: CardPage = {
    sandbox,
    id,
    show: (view) => invoicePage(sandbox, invoice, view),
    use: (card, authenticated) => payWithCard(sandbox, customer, invoice, card, authenticated),
    authenticate: { redirect: `${home}/authenticate` },
    done: { redirect: home },
  };
  return step === "authenticate" ? submitAuthentication(page, form) : submitCard(page, form);
}

/** Whether an invoice can be paid. A written-off one still can. */
function isPayable({ status }: Invoice): boolean {
  return status === "open" || status === "uncollectible";
}

function invoicePage(sandbox: Sandbox, invoice: Invoice, view: FormView): string {
  const [line] = invoice.lines.data;
  return layout(
    `${errorMark(view)}Invoice ${invoice.number}`,
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
${problemAlert(view.problem)}
<form method="post" action="/i/${invoice.id}" novalidate>
${cardFields(view.state ?? initialCardForm(sandbox.now()), false, Boolean(view.problem))}
<button type="submit" class="full">Pay ${formatMoney(invoice.amount_remaining, invoice.currency)}</button>
</form></div>`
}`,
  );
}
